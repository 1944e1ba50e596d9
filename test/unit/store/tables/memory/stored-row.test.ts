import { join } from 'node:path'
import test from 'ava'
import { openStore } from '../../../../../src/store/database.js'
import type { NewMemory } from '../../../../../src/store/tables/memory/memories.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const least: NewMemory = {
  id: 'm',
  content: 'two lines\nand ünïcode 😀',
  content_hash: 'h',
  hash_space: '',
  type: 'fact',
  importance: 1,
  tags: '',
  pinned: 0,
  extraction_status: 'none',
  created_at: '2026',
  updated_at: '2026',
  updated_by: 'x',
  memory_kind: 'episodic',
  agent_id: 'default',
  visibility: 'global',
  safety_status: 'clean',
  safety_reasons: '',
  safety_rules: '',
  safety_policy: '1',
  safety_scanned_at: '2026',
  change: 1,
}

test('an inserted row is told as the database has it, whatever it left out', async t => {
  const store = openStore(join(temporaryWorkspace(t), 'memories.db'), new Date())
  t.teardown(() => store.close())
  const given = { ...least, id: 'n', content_hash: 'i', who: 'ana', access_count: 3, importance: 0.35 }
  for (const row of [least, given]) {
    const told = await store.tables.memories.insert(row)
    t.deepEqual([told], await store.tables.memories.load([row.id]))
  }
})
