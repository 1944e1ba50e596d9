import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { TaskRun } from '../../src/contract/agents/tasks.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { emptyFolder } from '../helpers/fake-program.js'
import { killsOr } from '../helpers/kills.js'
import { fakeClaude, someTask, succeed } from '../helpers/tasks.js'

/** Each round starts one run more than the previous one. */
const kills = killsOr(4)
const settings = 'embedding: { provider: none }\n'

function prepared(t: Parameters<typeof temporaryWorkspace>[0], more = ''): string {
  const workspace = temporaryWorkspace(t)
  writeFileSync(workspacePaths(workspace).settings, `${settings}${more}`)
  return workspace
}

async function ask<T>(url: string, path: string, method = 'GET', body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await reply.json()) as T
}

const make = async (url: string) =>
  (await ask<{ task: { id: string } }>(url, '/api/tasks', 'POST', someTask)).task.id

const runs = async (url: string, id: string) =>
  (await ask<{ runs: TaskRun[] }>(url, `/api/tasks/${id}/runs?limit=100`)).runs

test('after a kill no part of a run continues or repeats, and each run has failed (tasks.md 3.4)', async t => {
  const workspace = prepared(t)
  const pids = join(emptyFolder(t), 'pids')
  const { environment, calls } = fakeClaude(
    t,
    `process.on('SIGTERM', () => {}); require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n'); setInterval(() => {}, 1000)`,
  )
  const first = spawnDaemon(t, workspace, environment)
  const { url } = await first.ready()
  const ids = [await make(url), await make(url), await make(url), await make(url)]
  for (const id of ids) await ask(url, `/api/tasks/${id}/run`, 'POST', {})
  const started = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [])
  await until(() => started().length === 3)
  const states = (await Promise.all(ids.map(id => runs(url, id)))).flat().map(({ status }) => status)
  t.deepEqual(states, ['running', 'running', 'running', 'pending'])
  first.child.kill('SIGKILL')
  await first.exited
  const alive = () => started().filter(pid => existsSync(`/proc/${pid}`)).length
  t.is(alive(), 3)

  const second = spawnDaemon(t, workspace, environment)
  const { url: again } = await second.ready()
  await until(async () =>
    (await Promise.all(ids.map(id => runs(again, id)))).flat().every(run => run.completedAt),
  )
  for (const id of ids) {
    const [run, ...more] = await runs(again, id)
    t.like(run, { status: 'failed', error: 'daemon_restart', trigger: 'manual' })
    t.deepEqual(more, [])
  }
  await until(() => alive() === 0)
  t.is(calls().length, 3)
})

test('with kills at any moment each run exists once, has an end, and started at most once (tasks.md 3.4)', async t => {
  const workspace = prepared(t)
  const { environment, calls } = fakeClaude(t, `${succeed}; setTimeout(() => {}, 20)`)
  const told = new Set<string>()
  const ids: string[] = []
  for (let round = 0; round < kills; round++) {
    const daemon = spawnDaemon(t, workspace, environment)
    const { url } = await daemon.ready()
    while (ids.length < 4) ids.push(await make(url))
    const count = async () => (await Promise.all(ids.map(id => runs(url, id)))).flat().length
    const before = await count()
    for (const id of ids.slice(0, (round % 4) + 1)) {
      const { runId } = await ask<{ runId?: string }>(url, `/api/tasks/${id}/run`, 'POST', {})
      if (runId) told.add(runId)
    }
    await until(async () => (await count()) > before)
    daemon.child.kill('SIGKILL')
    await daemon.exited
  }
  const { url } = await spawnDaemon(t, workspace, environment).ready()
  const all = await until(async () => {
    const found = (await Promise.all(ids.map(id => runs(url, id)))).flat()
    return found.every(({ completedAt }) => completedAt !== null) ? found : undefined
  })
  t.deepEqual(
    [...told].filter(id => !all.some(run => run.id === id)),
    [],
  )
  t.true(all.every(({ status, error }) => status === 'completed' || error === 'daemon_restart'))
  t.true(calls().length <= all.length)
})

test('a daemon with an enabled task does not stop when idle (tasks.md#missed-times)', async t => {
  const idle = 'daemon: { idleTimeoutMs: 1000 }\n'
  const busy = spawnDaemon(t, prepared(t, idle))
  const { url } = await busy.ready()
  const id = await make(url)
  const bored = spawnDaemon(t, prepared(t, idle))
  await bored.ready()
  t.is(await bored.exited, 0)
  t.is(busy.child.exitCode, null)
  await ask(url, `/api/tasks/${id}`, 'PATCH', { enabled: false })
  t.is(await busy.exited, 0)
})
