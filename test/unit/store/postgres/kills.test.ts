import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { keepRunning } from '../../../helpers/kept-daemon.js'
import { killsOr } from '../../../helpers/kills.js'
import { askServer, ownServer } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

const savers = 6

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
  const acknowledged = new Map<string, string>()
  const counted = { failed: 0, isOver: false }
  const saving = Array.from({ length: savers }, async (_, saver) => {
    for (let number = 0; !counted.isOver; number++) {
      const content = `crane w${saver}n${number} lifts containers`
      const { id, failed } = await saved(content, daemon.url)
      acknowledged.set(content, id)
      counted.failed += failed > 0 ? 1 : 0
    }
  })
  const kills = [
    () => daemon.kill('SIGKILL'),
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
  t.log({ rows: rows.length, savesThatFailedFirst: counted.failed, starts: daemon.starts() })
  t.is(rows.length, acknowledged.size)
  // Answers to a group of saves arrive in any order.
  const stored = rows.map(({ id, content }) => [String(content), String(id)])
  t.deepEqual(stored.sort(), [...acknowledged].sort())
  const created = "SELECT count(*) FROM team_a.memory_history WHERE event = 'created'"
  t.deepEqual(await askServer(server.url, created), [{ count: String(rows.length) }])
  const [last] = [...acknowledged].slice(-1)
  const { body } = await post(daemon.url() as string, '/api/memory/recall', { query: last?.[0] })
  t.true((body.results as { id: string }[]).some(({ id }) => id === last?.[1]))
  await daemon.end()
})
