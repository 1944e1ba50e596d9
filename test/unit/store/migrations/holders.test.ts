import test from 'ava'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { databaseBefore } from '../../../helpers/old-database.js'

const now = new Date('2026-01-01T00:00:00Z')

test('memories of a release without holders keep the one that they have, and take others', async t => {
  const { file, old } = databaseBefore(t, 'holders')
  old.exec(`INSERT INTO memories (id, content, content_hash, hash_space, type, importance, tags, pinned, project,
      extraction_status, created_at, updated_at, updated_by, memory_kind, agent_id, visibility, safety_status,
      safety_reasons, safety_policy, safety_scanned_at, change)
    VALUES ('m', 'the pier', 'h', '', 'rule', 0.8, '', 0, 'web', 'none', '2025', '2025', 'x', 'episodic', 'claude',
      'global', 'clean', '', '1', '2025', 1)`)
  old.close()
  const store = openStore(file, now)
  t.teardown(() => store.close())
  const { memories, holders } = store.tables
  const only = { agents: ['claude'], globalOf: [] }
  const found = (filter: object) => memories.listIds(only, filter, { limit: 9, offset: 0 })
  t.deepEqual([await found({ project: 'web' }), await found({ project: 'api' })], [['m'], []])
  await holders.put('m', {
    agent_id: 'claude',
    project: 'api',
    scope: null,
    visibility: 'global',
    held_at: '2026',
  })
  await holders.recount('m', 2)
  t.deepEqual([await found({ project: 'web' }), await found({ project: 'api' })], [['m'], ['m']])
  t.is(await memories.countOf(only, 'api', 'rule'), 1)
})
