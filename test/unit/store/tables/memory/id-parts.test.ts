import { join } from 'node:path'
import test from 'ava'
import { openStore } from '../../../../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { openRaw } from '../../../../helpers/store.js'

test('the end of an id is found among thousands of memories, wherever it is, and all that have it', async t => {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const store = openStore(file, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  openRaw(t, file).exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 12000)
    INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned, extraction_status,
      created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status, safety_reasons,
      safety_policy, safety_scanned_at, change)
    SELECT printf('%08d-0000-7000-8000-0000%08d', n, n % 10000), 'c', n, '', 'fact', 0.8, '', 0, 'none', '2026', '2026',
      'x', 'episodic', 'default', 'global', 'clean', '', '1', '2026', n FROM n`)
  const { idParts } = store.tables
  const idOf = (n: number, end = n) =>
    `${String(n).padStart(8, '0')}-0000-7000-8000-0000${String(end).padStart(8, '0')}`
  t.deepEqual(await idParts.matching('memory', '00005000'), [idOf(5000)])
  t.deepEqual(await idParts.matching('memory', '00001000'), [idOf(1000), idOf(11_000, 1000)])
  t.deepEqual(await idParts.matching('memory', '00012000'), [idOf(12_000, 2000)])
  t.deepEqual(await idParts.matching('memory', 'abcdef'), [])
})
