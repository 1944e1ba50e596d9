import test from 'ava'
import { z } from 'zod'
import { type JobKind, newJob, readJob } from '../../../../../src/daemon/ground/jobs/job-kind.js'

const fetchJob: JobKind<{ url: string }> = {
  kind: 'fetch',
  maxAttempts: 3,
  payload: z.object({ url: z.string() }),
}
const ids = { newId: () => 'j1' }
const row = (payload: string) => ({
  ...{ id: 'j1', kind: 'fetch', subject: 's', status: 'leased', attempts: 1, max_attempts: 3, payload },
  ...{
    leased_at: null,
    ...{ node: null, leased_by: null },
    run_after: '',
    last_error: null,
    created_at: '',
    updated_at: '',
    completed_at: null,
  },
})

test('the payload of a job is read back typed', t => {
  const queued = newJob(ids, fetchJob, 's', { url: 'http://x' })
  t.deepEqual(queued, {
    id: 'j1',
    kind: 'fetch',
    subject: 's',
    maxAttempts: 3,
    payload: '{"url":"http://x"}',
  })
  t.deepEqual(readJob(fetchJob, row(queued.payload)), {
    id: 'j1',
    subject: 's',
    attempts: 1,
    maxAttempts: 3,
    payload: { url: 'http://x' },
  })
})

test('a job with an invalid payload is not run', t => {
  t.throws(() => readJob(fetchJob, row('{"url":7}')))
})

test('a kind without payload has jobs without payload', t => {
  const plain: JobKind = { kind: 'plain', maxAttempts: 1 }
  t.is(newJob(ids, plain, 's').payload, '{}')
  t.is(readJob(plain, row('{}')).payload, undefined)
})
