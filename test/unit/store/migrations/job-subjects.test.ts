import test from 'ava'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { databaseBefore } from '../../../helpers/old-database.js'

test('jobs that wait when a release with subjects comes are done by it', async t => {
  const { file, old } = databaseBefore(t, 'job subjects')
  old.exec(`INSERT INTO jobs (id, kind, memory_id, status, attempts, max_attempts, run_after, created_at, updated_at)
    VALUES ('j', 'transcript-capture', 'receipt', 'pending', 2, 20, '2025', '2025', '2025')`)
  old.close()
  const store = openStore(file, new Date('2026-01-01T00:00:00Z'))
  t.teardown(() => store.close())
  const { jobs } = store.tables
  const again = { id: 'k', kind: 'transcript-capture', subject: 'receipt', maxAttempts: 20, payload: '{}' }
  await jobs.enqueue(again, '2026')
  t.is(await jobs.openJob('transcript-capture', 'receipt'), 'j')
  const [job, ...others] = await jobs.lease('transcript-capture', 9, '2026')
  t.like(job, { id: 'j', subject: 'receipt', payload: '{}', attempts: 3 })
  t.deepEqual(others, [])
})
