import test from 'ava'
import type { Database } from 'better-sqlite3'
import { packedHash, packedId } from '../../../../../src/store/sql/packed.js'
import { cursorAfter } from '../../../../../src/store/tables/operations/transfer.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const uuid = (n: number) => `0000000${n}-0000-7000-8000-00000000000${n}`
const hash = 'ab'.repeat(32)
const boundary = { agents: ['claude'], globalOf: [] }

/** Inserts a memory with an event of one day, under an id and a hash. */
function plant(raw: Database, id: string, contentHash: string, [event, day]: [string, string]): void {
  raw
    .prepare(`INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned,
        extraction_status, created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status,
        safety_reasons, safety_policy, safety_scanned_at, change)
      VALUES (?, 'the pier', ?, '', 'rule', 0.8, '', 0, 'none', '2025', '2025', 'x', 'episodic', 'claude', 'global',
        'clean', '', '1', '2025', 1)`)
    .run(id, packedHash(contentHash))
  raw
    .prepare(`INSERT INTO memory_history (id, memory_id, event, changed_by, actor_type, reason, request_id, created_at, change)
      VALUES (?, ?, 'created', 'x', 'operator', 'saved', ?, ?, 1)`)
    .run(packedId(event), packedId(id), packedId(uuid(9)), `${day}T12:00:00.000Z`)
}

test('history ids and hashes are stored as bytes if possible, and read as text', async t => {
  const { file, store } = openTestStore(t)
  const raw = openRaw(t, file)
  plant(raw, uuid(1), hash, [uuid(2), '2025-03-01'])
  plant(raw, 'own-id', 'own hash', ['own event', '2025-04-01'])
  const { history, memories, retention, transfer, surveyCounts } = store.tables
  const bytes = raw.prepare('SELECT octet_length(memory_id) FROM memory_history ORDER BY rowid').pluck().all()
  t.deepEqual(bytes, [16, 6])
  for (const [id, event, own] of [
    [uuid(1), uuid(2), hash],
    ['own-id', 'own event', 'own hash'],
  ] as const) {
    const { events } = await history.of(id, { limit: 9, offset: 0 })
    t.like(events, [{ id: event, memory_id: id, request_id: uuid(9), new_content: 'the pier' }])
    t.like(await memories.byHash(own, boundary), { id, content_hash: own })
  }
  const claimants = await transfer.claimants([hash, 'own hash'], [])
  t.deepEqual(claimants.map(row => [row.id, row.content_hash]).sort(), [
    [uuid(1), hash],
    ['own-id', 'own hash'],
  ])
  const all = { after: 0, upTo: await history.newest() }
  t.deepEqual(
    (await history.changes(all, boundary, 9)).map(change => change.memory_id),
    [uuid(1), 'own-id'],
  )
  t.deepEqual(await surveyCounts.events('2025-03-01T12:00:00.001Z'), [{ event: 'created', count: 1 }])
  t.deepEqual(await retention.oldEvents(all, '2025-03-01T12:00:00.000Z', 9), [])
  const old = await retention.oldEvents(all, '2025-03-01T12:00:00.001Z', 9)
  t.is(old.length, 1)
  await retention.deleteEvents(old)
  t.deepEqual((await history.of(uuid(1), { limit: 9, offset: 0 })).events, [])
})

test('an export reads history in id order, and an import adds no event twice', async t => {
  const { file, store } = openTestStore(t)
  const raw = openRaw(t, file)
  const ids = [uuid(1), 'a', uuid(3).replace('0', 'f'), 'zz'].sort()
  for (const [place, id] of ids.entries()) plant(raw, id, `hash ${place}`, [uuid(place + 4), '2025-03-01'])
  const { history, transfer } = store.tables
  const memories = ids.map(id => ({ id, version: 1 }))
  const told = []
  let page = await transfer.eventsAfter(memories, 9, undefined)
  for (let last = page.at(-1); last; last = page.at(-1)) {
    told.push(...page)
    page = await transfer.eventsAfter(memories.slice(ids.indexOf(last.memory_id)), 9, cursorAfter(last))
  }
  t.deepEqual(
    told.map(event => event.memory_id),
    ids,
  )
  const [event] = (await history.of(ids[0]!, { limit: 1, offset: 0 })).events
  const another = { ...event!, id: uuid(8) }
  await history.appendTold([event!, another, another])
  t.deepEqual(
    (await transfer.eventsAfter(memories.slice(0, 1), 9, undefined)).map(one => cursorAfter(one).id).sort(),
    [event!.id, uuid(8)].sort(),
  )
})
