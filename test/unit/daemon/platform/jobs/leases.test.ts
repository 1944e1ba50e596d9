import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  createLeaseReaper,
  releaseAllLeases,
  requeueDeadJobs,
  retryDelayMs,
} from '../../../../../src/daemon/platform/jobs/leases.js'
import { until } from '../../../../helpers/daemon-process.js'
import { manualTime } from '../../../../helpers/manual-time.js'
import { openRaw, openTestStore } from '../../../../helpers/store.js'

function openJobs(t: ExecutionContext) {
  const { store, file } = openTestStore(t)
  const raw = openRaw(t, file)
  const time = manualTime()
  const now = () => time.clock().toISOString()
  const returned = { times: 0 }
  const reaper = createLeaseReaper(
    { store, clock: time.clock, log: pino({ level: 'silent' }) },
    { leaseTimeoutMs: 90_000, timers: time.timers, onReturned: () => void returned.times++ },
  )
  t.teardown(reaper.close)
  return {
    store,
    time,
    reaper,
    returned,
    enqueue: (id: string, maxAttempts: number, subject = id) =>
      store.tables.jobs.enqueue({ id, kind: 'test', subject, payload: '{}', maxAttempts }, now()),
    lease: (limit = 1) => store.tables.jobs.lease('test', limit, now()),
    fail: (id: string) => store.tables.jobs.fail([id], 'no luck', now(), now()),
    states: () =>
      Object.fromEntries(
        (raw.prepare('SELECT id, status, attempts FROM jobs ORDER BY id').all() as never[]).map(
          ({ id, status, attempts }) => [id, `${status} ${attempts}`],
        ),
      ),
  }
}

test('every 60 s expired leases return to pending, and exhausted jobs are dead (rules.md 3.2)', async t => {
  const { reaper, enqueue, lease, time, states, returned } = openJobs(t)
  reaper.start()
  await enqueue('a', 3)
  await enqueue('b', 1)
  await lease(2)
  time.advance(60_000)
  await enqueue('c', 3)
  await lease()
  t.deepEqual(states(), { a: 'leased 1', b: 'leased 1', c: 'leased 1' })
  time.advance(60_000)
  await until(() => returned.times === 1 || undefined)
  t.deepEqual(states(), { a: 'pending 1', b: 'dead 1', c: 'leased 1' })
})

test('a start returns every lease, because the process that held it has ended', async t => {
  const { store, time, enqueue, lease, states } = openJobs(t)
  await enqueue('a', 3)
  await lease()
  await releaseAllLeases({ store, clock: time.clock })
  t.deepEqual(states(), { a: 'pending 1' })
})

test('dead jobs return to the queue with all attempts, unless a later job replaced them (rules.md 3.2)', async t => {
  const { store, time, enqueue, lease, fail, states } = openJobs(t)
  for (const [id, memory] of [
    ['1', 'm'],
    ['2', 'm'],
    ['3', 'n'],
  ] as const) {
    await enqueue(id, 1, memory)
    await lease()
    await fail(id)
  }
  await enqueue('4', 1, 'n')
  t.is(await requeueDeadJobs({ store, clock: time.clock }), 1)
  t.deepEqual(states(), { 1: 'dead 1', 2: 'pending 0', 3: 'dead 1', 4: 'pending 0' })
})

test('the delay doubles with each failure up to 30 s (rules.md 3.2)', t => {
  const delays = [1, 2, 3, 4, 5, 50].map(failures => retryDelayMs(failures, () => 0))
  t.deepEqual(delays, [2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('the jitter adds up to 500 ms (rules.md 3.2)', t => {
  t.is(
    retryDelayMs(1, () => 0.999),
    2499.5,
  )
  t.is(
    retryDelayMs(50, () => 1),
    30_500,
  )
})
