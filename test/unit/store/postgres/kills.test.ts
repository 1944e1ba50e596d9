import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { type DaemonProcess, spawnDaemon } from '../../../helpers/daemon-process.js'
import { killsOr } from '../../../helpers/kills.js'
import { askServer, ownServer } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

const savers = 6

interface Current {
  url: string
  process: DaemonProcess
}

/** A daemon that is started again each time it has ended, as commands do. */
function keepRunning(t: ExecutionContext, workspace: string) {
  const state: { current?: Current; starts: number; isOver: boolean } = { starts: 0, isOver: false }
  const running = (async () => {
    while (!state.isOver) {
      const process = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
      state.starts++
      const ready = await process.ready().catch(() => undefined)
      if (ready) state.current = { url: ready.url, process }
      await process.exited
      delete state.current
    }
  })()
  return {
    state,
    end: async () => {
      state.isOver = true
      state.current?.process.child.kill('SIGTERM')
      await running
    },
  }
}

/** Saves a text until a daemon has acknowledged it. @returns the id, and how often it failed before */
async function saved(
  content: string,
  url: () => string | undefined,
): Promise<{ id: string; failed: number }> {
  for (let failed = 0; ; failed++) {
    const at = url()
    const reply = at && (await post(at, '/api/memory/remember', { content }).catch(() => undefined))
    if (reply && reply.status === 200) return { id: String(reply.body.id), failed }
    await delay(20)
  }
}

async function post(url: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(30_000)
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

test('kills of daemon, server and connections during saves lose nothing acknowledged, and store nothing twice', async t => {
  const server = await ownServer(t)
  if (!server) return t.log('skipped: no programs of a server')
  const proxy = await startProxy(t, server.url)
  const workspace = temporaryWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  const storage = { postgres: proxy.url, schema: 'team_a' }
  writeFileSync(workspacePaths(workspace).settings, stringify({ embedding: { provider: 'none' }, storage }))
  const daemon = keepRunning(t, workspace)
  const url = (): string | undefined => daemon.state.current?.url
  const acknowledged = new Map<string, string>()
  const counted = { failed: 0, isOver: false }
  const saving = Array.from({ length: savers }, async (_, saver) => {
    for (let number = 0; !counted.isOver; number++) {
      const content = `crane w${saver}n${number} lifts containers`
      const { id, failed } = await saved(content, url)
      acknowledged.set(content, id)
      counted.failed += failed > 0 ? 1 : 0
    }
  })
  const kills = [
    () => daemon.state.current?.process.child.kill('SIGKILL'),
    server.crash,
    proxy.drop,
    async () => {
      proxy.cut()
      await delay(300)
      proxy.mend()
    },
  ]
  for (let kill = 0; kill < killsOr(8); kill++) {
    const before = acknowledged.size
    while (acknowledged.size < before + 20) await delay(20)
    await delay(40 * (kill % 7))
    await kills[kill % kills.length]?.()
  }
  counted.isOver = true
  await Promise.all(saving)
  const rows = await askServer(server.url, 'SELECT id, content FROM team_a.memories')
  t.log({ rows: rows.length, savesThatFailedFirst: counted.failed, starts: daemon.state.starts })
  t.is(rows.length, acknowledged.size)
  t.deepEqual(new Map(rows.map(({ id, content }) => [String(content), String(id)])), acknowledged)
  const created = "SELECT count(*) FROM team_a.memory_history WHERE event = 'created'"
  t.deepEqual(await askServer(server.url, created), [{ count: String(rows.length) }])
  const [last] = [...acknowledged].slice(-1)
  const { body } = await post(url() as string, '/api/memory/recall', { query: last?.[0] })
  t.true((body.results as { id: string }[]).some(({ id }) => id === last?.[1]))
  await daemon.end()
})
