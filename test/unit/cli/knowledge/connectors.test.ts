import test from 'ava'
import { removalLines } from '../../../../src/cli/knowledge/connectors.js'

const connector = {
  id: 'c1',
  provider: 'filesystem',
  display_name: 'Notes\u001b[2J',
  status: 'idle',
  config_json: '{"rootPath":"/home/ada/notes"}',
  cursor_json: '{}',
  last_sync_at: null,
  last_error: null,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  details: {
    documents: { total: 12, done: 11, failed: 1, reading: 0 },
    chunks: 40,
    progress: null,
    lastResult: null,
  },
} as const

test('a removal preview counts the documents and chunks it would remove', t => {
  t.deepEqual(removalLines(connector, true), [
    'connector  Notes[2J',
    'folder     /home/ada/notes (its files are not changed)',
    'documents  12 deleted, with up to 40 passages',
  ])
})

test('a removal preview says which documents are kept', t => {
  t.is(removalLines(connector, false).at(-1), 'documents  12 kept, but no longer updated')
})
