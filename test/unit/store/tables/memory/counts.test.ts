import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

const boundary = { agents: ['claude'], globalOf: [] }

test('memories of a large store are counted in slices, each once, and other work continues meanwhile', async t => {
  const { file, store } = openTestStore(t)
  const raw = openRaw(t, file)
  // A hundred have the same time; every third is pinned, every fifth forgotten, every ninth foreign.
  raw.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120000)
    INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned, is_deleted,
      extraction_status, created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status,
      safety_reasons, safety_policy, safety_scanned_at, change)
    SELECT printf('id-%06d', n), 'the pier', CAST(n AS BLOB), '', 'rule', 0.8, '', n % 3 = 0, n % 5 = 0, 'none',
      printf('2025-01-%06d', n / 100), '2025', 'x', 'episodic', iif(n % 9 = 0, 'codex', 'claude'), 'private',
      'clean', '', '1', '2025', n FROM numbers`)
  raw.exec("UPDATE meta SET value = '120000' WHERE key = 'change'")
  const numbers = Array.from({ length: 120_000 }, (_, at) => at + 1)
  const alive = numbers.filter(n => n % 5 !== 0 && n % 9 !== 0)
  const work = { turns: 0, done: false }
  const others = (async () => {
    for (; !work.done; work.turns++) await nextTurn()
  })()
  t.deepEqual(await store.tables.memories.counts(boundary), {
    total: alive.length,
    withEmbeddings: 0,
    critical: alive.filter(n => n % 3 === 0).length,
  })
  work.done = true
  await others
  t.true(work.turns > 0)
  const forgotten = await store.tables.memories.counts(boundary, { deleted: true })
  t.is(forgotten.total, numbers.filter(n => n % 5 === 0 && n % 9 !== 0).length)
  const ids = ['id-000001', 'id-000005', 'id-000009', 'id-119999']
  t.is((await store.tables.memories.counts(boundary, { ids })).total, 2)
})
