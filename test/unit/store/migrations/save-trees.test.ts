import { join } from 'node:path'
import test from 'ava'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { migrateTo, openRaw } from '../../../helpers/store.js'

const now = new Date('2026-01-01T00:00:00Z')
const model = { provider: 'p', model: 'm' }

test('vectors of an earlier schema are those of their memories afterwards, also when the file is rewritten', async t => {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const raw = openRaw(t, file)
  migrateTo(raw, 13)
  const add =
    raw.prepare(`INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned,
      extraction_status, created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status,
      safety_reasons, safety_policy, safety_scanned_at, change)
    VALUES (?, 'c', ?, '', 'fact', 0.8, '', 0, 'none', '2026', '2026', 'x', 'episodic', 'default', 'global', 'clean',
      '', '1', '2026', ?)`)
  for (const [place, id] of ['a', 'gap', 'b', 'c'].entries()) add.run(id, id, place)
  raw.exec("DELETE FROM memories WHERE id = 'gap'")
  // In another order than the memories, with one whose memory is gone.
  raw.pragma('foreign_keys = OFF')
  for (const [place, id] of ['c', 'gone', 'a'].entries())
    raw
      .prepare("INSERT INTO memory_vectors VALUES (?, 'p', 'm', 2, ?, '2026')")
      .run(id, Buffer.from(new Float32Array([place, 1]).buffer))
  raw.exec(`INSERT INTO repair_operations (id, action, scope, status, place, counts, created_at, updated_at)
    VALUES ('r', 'resyncVectorIndex', '{}', 'running', '{"after":"b"}', '{}', '2026', '2026')`)

  const store = openStore(file, now)
  t.teardown(() => store.close())
  const { memories, repairOperations, retention, vectors } = store.tables
  const stored = async () =>
    [...(await vectors.of(['a', 'b', 'c', 'gone'], model))].map(([id, [first]]) => [id, first]).sort()
  const found = [
    ['a', 2],
    ['c', 0],
  ]
  t.deepEqual(await stored(), found)
  t.is(await vectors.countMissing(model), 1)
  t.is((await repairOperations.find('r'))?.status, 'failed')
  raw.exec('VACUUM')
  t.deepEqual(await stored(), found)

  await vectors.put(
    [
      { memoryId: 'b', ...model, vector: new Float32Array([7, 1]) },
      { memoryId: 'c', ...model, vector: new Float32Array([8, 1]) },
      { memoryId: 'gone', ...model, vector: new Float32Array([9, 1]) },
    ],
    now.toISOString(),
  )
  t.deepEqual(await stored(), [
    ['a', 2],
    ['b', 7],
    ['c', 8],
  ])
  t.is(await vectors.countMissing(model), 0)
  await retention.deleteMemories(['c'])
  t.is(raw.prepare('SELECT count(*) FROM memory_vectors').pluck().get(), 2)
  // The next memory has the row number of the last one, but not its vector.
  t.is(await memories.countAlive(), 2)
  add.run('next', 'next', 9)
  t.false((await vectors.of(['next'], model)).has('next'))
})
