import { join } from 'node:path'
import test from 'ava'
import { openStore } from '../../../../src/store/sqlite/database.js'
import type { NewMemory } from '../../../../src/store/tables/memory/memories.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'
import { migrateTo, openRaw } from '../../../helpers/store.js'

const now = new Date('2026-01-01T00:00:00Z')

function rowOf(id: string, change: number): NewMemory {
  return {
    ...{
      id,
      content: id,
      content_hash: id,
      hash_space: '',
      type: 'fact',
      importance: 0.8,
      tags: '',
      pinned: 0,
    },
    ...{ extraction_status: 'none', created_at: '2026', updated_at: '2026', updated_by: 'x', change },
    ...{ memory_kind: 'episodic', agent_id: 'default', visibility: 'global', safety_status: 'clean' },
    ...{ safety_reasons: '', safety_rules: '', safety_policy: '1', safety_scanned_at: '2026' },
  }
}

test('memories are read in the order of their changes, whichever release stored or changed them', async t => {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const raw = openRaw(t, file)
  migrateTo(raw, 15)
  // An earlier release: no number is that of a change, some are beyond the last one, and some rows are gone.
  for (let n = 1; n <= 12; n++) {
    const row = { rowid: n * 2, ...rowOf(`old ${n}`, 13 - n) }
    const columns = Object.keys(row)
    raw
      .prepare(`INSERT INTO memories (${columns.join()}) VALUES (${columns.map(name => `@${name}`).join()})`)
      .run(row)
  }
  raw.exec(
    "DELETE FROM memories WHERE id IN ('old 3', 'old 12'); UPDATE meta SET value = '12' WHERE key = 'change'",
  )
  const store = openStore(file, now)
  t.teardown(() => store.close())
  const { memories, meta, sync } = store.tables
  t.is(await meta.lastChange(), 22)
  const expected = (from: string, order: string) =>
    raw.prepare(`SELECT id, change FROM memories WHERE ${from} ORDER BY change ${order}`).all()

  const compare = async (limit: number): Promise<void> => {
    const ids = (rows: readonly { id: string; change: number }[]) =>
      rows.map(({ id, change }) => ({ id, change }))
    for (let change = 0; change <= (await meta.lastChange()) + 1; change++) {
      const later = expected(`change > ${change}`, `LIMIT ${limit}`)
      t.deepEqual(ids(await memories.afterChange(change, limit)), later)
      t.deepEqual(ids(await sync.rowsChanged(change, limit)), later)
      const earlier = expected(`change < ${change} AND is_deleted = 0`, `DESC LIMIT ${limit}`)
      t.deepEqual(ids(await memories.beforeChange(change, limit)), earlier)
    }
  }
  for (const limit of [1, 3, 50]) await compare(limit)
  for (let n = 1; n <= 12; n++) await memories.insert([rowOf(`new ${n}`, await meta.nextChange())])
  t.is(raw.prepare('SELECT count(*) FROM memories WHERE rowid = change').pluck().get(), 12)
  for (const limit of [1, 3, 50]) await compare(limit)
  for (const id of ['new 12', 'old 1', 'new 5', 'new 1', 'old 7'])
    await memories.setEmbeddingModel(id, 'm', await meta.nextChange())
  for (const id of ['new 2', 'old 1', 'old 4', 'new 11'])
    await memories.softDelete(id, { now: '2027', by: 'x', change: await meta.nextChange() })
  await store.tables.retention.deleteMemories(['new 3', 'new 5'])
  for (const limit of [1, 2, 3, 7, 50]) await compare(limit)
  t.deepEqual(raw.pragma('integrity_check'), [{ integrity_check: 'ok' }])
})
