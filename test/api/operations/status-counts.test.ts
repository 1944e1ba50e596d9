import test from 'ava'
import type { Database } from 'better-sqlite3'
import { startDaemon } from '../../helpers/daemon.js'
import { readText } from '../../helpers/read-documents.js'
import { openRaw, storeLike } from '../../helpers/store.js'

const wanted = { provider: 'openai', model: 'm' }
const models = [
  wanted,
  { provider: 'openai', model: 'a' },
  { provider: 'openai', model: 'z' },
  { provider: 'local', model: 'm' },
  { provider: 'other', model: 'm' },
]

test('counts of alive memories and missing vectors match a scan of every row', async t => {
  const { daemon, remember, paths } = await startDaemon(t)
  const { memories, vectors } = daemon.store.tables
  const counts = async () => [await memories.countAlive(), await vectors.countMissing(wanted)]
  t.deepEqual(await counts(), [0, 0])
  const first = await remember('the harbour crane lifts containers')
  t.deepEqual(await counts(), [1, 1])
  const ids = await storeLike(
    daemon,
    first,
    Array.from({ length: 40 }, (_, n) => ({ idempotency_key: null, source_id: null, project: `p${n}` })),
  )
  // Every sixth memory has no vector, every fourth is deleted.
  const raw = openRaw(t, paths.database)
  for (const [n, memoryId] of ids.entries()) {
    const model = models[n % 6]
    if (model)
      await vectors.put([{ memoryId, ...model, vector: new Float32Array(4) }], '2026-01-01T00:00:00.000Z')
    if (n % 4 === 3) raw.prepare('UPDATE memories SET is_deleted = 1 WHERE id = ?').run(memoryId)
  }
  t.deepEqual(await counts(), [lookedAt(raw, ''), lookedAt(raw, `AND NOT EXISTS (${vectorOf(wanted)})`)])
  const again = ids.slice(0, 12).map(memoryId => ({ memoryId, ...wanted, vector: new Float32Array(4) }))
  await vectors.put(again, '2026-01-02T00:00:00.000Z')
  await vectors.remove(ids[12]!)
  raw.pragma('foreign_keys = ON')
  raw.prepare('DELETE FROM memories WHERE id IN (?, ?)').run(ids[18], ids[19])
  for (const model of models)
    t.is(
      await vectors.countMissing(model),
      lookedAt(raw, `AND NOT EXISTS (${vectorOf(model)})`),
      model.provider,
    )
  const unknown = { provider: 'none', model: '' }
  t.is(await vectors.countMissing(unknown), lookedAt(raw, ''))
})

test('status counts memories without document chunks, also those of a removed agent', async t => {
  const daemon = await startDaemon(t)
  const { memories } = daemon.daemon.store.tables
  const counted = async () => [
    (await daemon.call('GET /api/status')).body.memories,
    await memories.countChunks(),
  ]
  await daemon.remember('the harbour crane lifts containers')
  await readText(daemon, 'The ferry leaves berth four.', { agentId: 'cas' })
  await readText(daemon, 'The tide is low at noon.', { agentId: 'ada' })
  t.deepEqual(await counted(), [1, 2])
  await daemon.call('DELETE /api/agents/:name', { params: { name: 'cas' } })
  t.deepEqual(await counted(), [1, 1])
})

function vectorOf({ provider, model }: typeof wanted): string {
  return `SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.provider = '${provider}' AND v.model = '${model}'`
}

function lookedAt(raw: Database, condition: string): number {
  const text = `SELECT count(*) AS count FROM memories m WHERE is_deleted = 0 ${condition}`
  return (raw.prepare(text).get() as { count: number }).count
}
