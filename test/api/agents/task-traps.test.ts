// runs: in turn

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { fakeClaude, followTask, makeTask, runToEnd, succeed } from '../../helpers/tasks.js'

/** Code of a program that starts a child, which keeps the output open, and exits without waiting for it. */
const codeLeavingChild = (file: string, options: { detached?: boolean }): string =>
  `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', ...${JSON.stringify(options)} });
   require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid)); ${succeed}; child.unref()`

test('a program that closes its output or leaves child processes ends with its run (tasks.md#runs)', async t => {
  const left = join(emptyFolder(t), 'left')
  const programs = {
    closed: `require('node:fs').closeSync(1); require('node:fs').closeSync(2); setTimeout(() => process.exit(0), 50)`,
    forks: codeLeavingChild(left, {}),
  }
  const runOf = async (code: string) => {
    const daemon = await startDaemon(t, { environment: fakeClaude(t, code).environment })
    const run = await runToEnd(daemon, (await makeTask(daemon)).id)
    await until(() => readdirSync(daemon.paths.children).length === 0)
    return run
  }
  const closed = await runOf(programs.closed)
  t.like(closed, { status: 'failed', exitCode: 0, output: '' })
  t.is((await runOf(programs.forks)).status, 'completed')
  t.false(existsSync(`/proc/${readFileSync(left, 'utf8')}`))
})

test('a process that leaves the run’s process group is not killed, and blocks neither run nor daemon (tasks.md#runs)', async t => {
  if (process.platform === 'win32') return t.pass('Windows has no process groups')
  const left = join(emptyFolder(t), 'left')
  const { environment } = fakeClaude(t, codeLeavingChild(left, { detached: true }))
  const daemon = await startDaemon(t, { environment })
  const run = await runToEnd(daemon, (await makeTask(daemon)).id)
  const pid = Number(readFileSync(left, 'utf8'))
  t.teardown(() => process.kill(pid, 'SIGKILL'))
  t.like(run, { status: 'completed', exitCode: 0 })
  await until(() => readdirSync(daemon.paths.children).length === 0)
  await daemon.stop()
  t.notThrows(() => process.kill(pid, 0))
})

test('a task keeps its newest runs; older ones keep only the end of their output (tasks.md#runs)', async t => {
  const { environment } = fakeClaude(t, `console.log('x'.repeat(30000)); ${succeed}`)
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  for (let count = 0; count < 7; count++) await runToEnd(daemon, id)
  const { runs } = (await daemon.call('GET /api/tasks/:id', { params: { id } })).body
  t.deepEqual(
    runs.map(({ outputTruncated }) => outputTruncated),
    [false, false, false, false, false, true, true],
  )
  t.is(runs.at(-1)?.output.length, 16_384)
  t.regex(runs.at(-1)?.output ?? '', /"type":"result".*\n$/u)
  await daemon.daemon.store.transaction(async ({ taskRuns }) => {
    for (let count = 0; count < 60; count++) {
      const row = { id: daemon.daemon.newId(), task_id: id, trigger_kind: 'manual', daemon: 'x' }
      await taskRuns.addPending({ ...row, created_at: '2026' })
      await taskRuns.lose(row.id, { status: 'failed', error: 'x', completed_at: '2026' })
    }
  })
  await runToEnd(daemon, id)
  const page = (
    await daemon.call('GET /api/tasks/:id/runs', { params: { id }, query: { limit: 2, offset: 1 } })
  ).body
  t.like(page, { total: 50, limit: 2, offset: 1 })
  t.is(page.runs.length, 2)
  for (const query of [{ limit: 0 }, { limit: 101 }, { offset: -1 }])
    t.is((await daemon.call('GET /api/tasks/:id/runs', { params: { id }, query })).status, 400)
})

test('at most 64 readers can follow tasks (tasks.md 4.8)', async t => {
  const daemon = await startDaemon(t)
  const { id } = await makeTask(daemon)
  const readers = await Promise.all(Array.from({ length: 64 }, () => followTask(t, daemon.url, id)))
  const more = await fetch(`${daemon.url}/api/tasks/${id}/stream`)
  t.is(more.status, 503)
  t.is(((await more.json()) as { code: string }).code, 'overloaded')
  readers[0]?.close()
  await until(async () => {
    const again = await fetch(`${daemon.url}/api/tasks/${id}/stream`)
    await again.body?.cancel()
    return again.status === 200
  })
  await daemon.stop()
  await Promise.all(readers.map(({ ended }) => ended))
  t.pass()
})
