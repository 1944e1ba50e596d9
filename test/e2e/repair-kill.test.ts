import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { openRaw } from '../helpers/store.js'

const memories = 150
const dimensions = 8
const withinMs = 150
/** Each is killed some rounds in a row. */
const works: readonly (readonly [name: string, body: object])[] = [
  ['re-embed', { fullSweep: true, batchSize: 5 }],
  ['clean-orphans', { maxBatches: 100, batchSize: 10 }],
  ['deduplicate', { batchSize: 500 }],
  ['relink-entities', {}],
]
const rounds = 3

test('repairs that are killed at any moment are done in the end, and nothing twice or half (operations.md 5)', async t => {
  t.timeout(300_000)
  const provider = await startHttpFake(t, async (request, response) => {
    await sleep(5)
    sendJson(response, 200, openaiReply(request, dimensions))
  })
  const workspace = temporaryWorkspace(t)
  const settings = {
    embedding: { provider: 'openai', model: 'm', baseUrl: `${provider.url}/v1`, dimensions },
    repair: { cooldownMs: 0 },
  }
  writeFileSync(join(workspace, 'agent.yaml'), stringify(settings))
  await plant(t, workspace)
  for (const [name, body] of works)
    for (let round = 0; round < rounds; round++) {
      const { url, stop } = await start(t, workspace)
      const asked = post(url, `/api/repair/${name}`, body).catch(() => undefined)
      await sleep(Math.random() * withinMs)
      await stop('SIGKILL')
      await asked
    }
  const { url, stop } = await start(t, workspace)
  for (const [name, body] of works)
    await until(async () => {
      const reply = await post(url, `/api/repair/${name}`, body)
      const { status, details } = reply as {
        status?: string
        details?: { status?: string; complete?: boolean }
      }
      return status === 'complete' || details?.status === 'complete' || details?.complete || undefined
    }, 60_000)
  const listed = (await get(url, '/api/repair')) as { repairs: { lastRun: { outcome: string } | null }[] }
  t.deepEqual(
    listed.repairs.flatMap(({ lastRun }) => (lastRun && lastRun.outcome !== 'done' ? [lastRun.outcome] : [])),
    [],
  )
  await stop('SIGTERM')
  const raw = openRaw(t, workspacePaths(workspace).database)
  const count = (text: string) => raw.prepare(text).pluck().get()
  t.is(count('SELECT count(*) FROM memories WHERE is_deleted = 0'), memories)
  t.is(
    count(
      'SELECT count(*) FROM memories m WHERE is_deleted = 0 AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id)',
    ),
    0,
  )
  t.deepEqual(raw.pragma('foreign_key_check'), [])
  const half = `SELECT count(*) FROM memories m WHERE is_deleted = 1 AND NOT EXISTS (
    SELECT 1 FROM memory_history h WHERE h.memory_id = m.id AND h.event = 'deleted' AND h.reason LIKE 'duplicate of %')`
  t.is(count(half), 0, 'every duplicate that went has its history')
  t.is(count('SELECT mentions FROM entities'), memories, 'every memory is linked')
  const twice = `SELECT count(*) FROM (SELECT 1 FROM ontology_operations o JOIN evidence_spans s ON s.operation_id = o.id
    WHERE o.operation = 'mention_entity' GROUP BY s.source_id HAVING count(*) > 1)`
  t.is(count(twice), 0, 'no link was made twice')
  t.is(count('PRAGMA integrity_check'), 'ok')
})

/** Memories that name one entity without being linked, most of them without a vector, some of them twice; and orphans. */
async function plant(t: ExecutionContext, workspace: string): Promise<void> {
  const { url, stop } = await start(t, workspace)
  const ids: string[] = []
  for (let n = 0; n < memories; n++) {
    const { id } = await post(url, '/api/memory/remember', { content: `Orama holds entry ${n}` })
    ids.push(String(id))
  }
  const evidence = [{ sourceKind: 'memory', sourceId: ids[0], quote: 'Orama' }]
  const payload = { name: 'Orama', type: 'tool' }
  await post(url, '/api/ontology/operations', {
    operations: [{ operation: 'create_entity', payload, reason: 'r', confidence: 1, evidence }],
  })
  await stop('SIGTERM')
  const raw = openRaw(t, workspacePaths(workspace).database)
  raw.pragma('foreign_keys = OFF')
  const columns = (raw.pragma('table_info(memories)') as { name: string }[]).map(({ name }) => name)
  const copied = columns.map(name =>
    name === 'id' || name === 'content_hash' ? "'copy-' || id" : name === 'change' ? 'change + 1000' : name,
  )
  const last = ids.slice(0, 60)
  raw.prepare("DELETE FROM jobs WHERE kind = 'embed'").run()
  raw.prepare('DELETE FROM memory_vectors').run()
  for (const id of ids)
    raw
      .prepare(
        `INSERT INTO jobs (id, kind, subject, status, attempts, max_attempts, run_after, created_at, updated_at)
         VALUES (?, 'embed', ?, 'dead', 5, 5, '', '', '')`,
      )
      .run(`job ${id}`, id)
  for (const id of last)
    raw
      .prepare(
        `INSERT INTO memories (${columns.join(', ')}) SELECT ${copied.join(', ')} FROM memories WHERE id = ?`,
      )
      .run(id)
  raw.prepare("UPDATE meta SET value = CAST(value AS INTEGER) + 5000 WHERE key = 'change'").run()
  for (let n = 0; n < 1500; n++) raw.prepare("INSERT INTO memory_hints VALUES (?, 0, 'h')").run(`gone ${n}`)
  raw.close()
}

async function start(t: ExecutionContext, workspace: string) {
  const daemon = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
  const { url } = await daemon.ready()
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    daemon.child.kill(signal)
    await daemon.exited
  }
  return { url, stop }
}

async function post(url: string, path: string, body: object = {}): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await reply.json()) as Record<string, unknown>
}

async function get(url: string, path: string): Promise<object> {
  return (await (await fetch(`${url}${path}`)).json()) as object
}
