import test from 'ava'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { databaseBefore } from '../../../helpers/old-database.js'

test('texts that wait when a release with parts comes are read by it', async t => {
  const { file, old } = databaseBefore(t, 'text parts')
  old.exec(`INSERT INTO documents (id, agent_id, source_type, status, created_by, created_at, updated_at)
      VALUES ('d', 'default', 'text', 'queued', 'ada', '2025', '2025');
    INSERT INTO document_texts (document_id, text) VALUES ('d', 'the crane waits')`)
  old.close()
  const store = openStore(file, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  t.deepEqual(await store.tables.documents.textOf('d'), ['the crane waits'])
})
