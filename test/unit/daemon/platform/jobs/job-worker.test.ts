import test from 'ava'
import { AppError } from '../../../../../src/contract/ground/errors.js'
import { deferred } from '../../../../../src/lib/concurrency/deferred.js'
import type { JobRow } from '../../../../../src/store/tables/platform/jobs.js'
import { until } from '../../../../helpers/daemon-process.js'
import { openQueue } from '../../../../helpers/job-queue.js'

const failing = async () => {
  throw new Error('no luck')
}

test('the oldest pending job is leased first, and the lease counts its attempt (rules.md 3.2)', async t => {
  const seen: JobRow[] = []
  const { enqueue, worker, time, ran, job } = openQueue(t, {
    run: async jobs => {
      seen.push(...jobs.map(({ id }) => job(id)))
    },
  })
  for (const id of ['c', 'a', 'b']) {
    await enqueue(id)
    time.advance(1)
  }
  worker.wake()
  await until(() => ran.length === 3 || undefined)
  t.deepEqual(ran, [['c'], ['a'], ['b']])
  t.like(seen[0], { status: 'leased', attempts: 1, leased_at: time.clock().toISOString() })
  await until(() => job('b').status === 'completed' || undefined)
  t.like(job('c'), { status: 'completed', leased_at: null, completed_at: time.clock().toISOString() })
})

test('a pending job without attempts left is never leased (rules.md 3.2)', async t => {
  const { enqueue, raw, worker, ran, job } = openQueue(t)
  await enqueue('spent', 2)
  raw.prepare("UPDATE jobs SET attempts = 2 WHERE id = 'spent'").run()
  await enqueue('fresh', 2)
  worker.wake()
  await until(() => job('fresh').status === 'completed' || undefined)
  t.deepEqual(ran, [['fresh']])
})

test('a failed job waits min(1000 ms * 2^failures, 30000 ms) plus jitter, and is dead after its last attempt (rules.md 3.2)', async t => {
  const { enqueue, worker, time, ran, job } = openQueue(t, { run: failing, random: () => 0.5 })
  await enqueue('a', 6)
  worker.wake()
  for (const [failures, waitMs] of [2250, 4250, 8250, 16_250, 30_250].entries()) {
    await until(() => time.waits().length === 1 || undefined)
    t.is(ran.length, failures + 1)
    t.deepEqual(time.waits(), [waitMs])
    t.like(job('a'), {
      status: 'pending',
      attempts: failures + 1,
      leased_at: null,
      last_error: 'no luck',
      run_after: new Date(time.clock().getTime() + waitMs).toISOString(),
    })
    time.advance(waitMs)
  }
  await until(() => job('a').status === 'dead' || undefined)
  t.is(ran.length, 6)
})

test('a failure specific to one job delays only that job, with growing waits (rules.md 3.2)', async t => {
  const own = new Error('its own fault')
  const { enqueue, worker, time, ran, job } = openQueue(t, {
    run: async ([one]) => {
      if (one?.id === 'a') throw own
    },
    isOwn: error => error === own,
  })
  await enqueue('a')
  await enqueue('b')
  worker.wake()
  await until(() => (job('b').status === 'completed' && time.waits().length === 1) || undefined)
  t.deepEqual(ran, [['a'], ['b']])
  t.like(job('a'), { status: 'pending', attempts: 1, last_error: 'its own fault' })
  t.deepEqual(time.waits(), [2000])
  time.advance(2000)
  await until(() => (job('a').attempts === 2 && time.waits().length === 1) || undefined)
  t.deepEqual(time.waits(), [4000])
  time.advance(4000)
  await until(() => job('a').status === 'dead' || undefined)
})

test('a success resets the failure counter (rules.md 3.2)', async t => {
  let fails = true
  const { enqueue, worker, time, job } = openQueue(t, {
    run: async () => {
      if (fails) await failing()
    },
  })
  const failOnce = async (id: string) => {
    fails = true
    await enqueue(id)
    worker.wake()
    await until(
      () =>
        (job(id).attempts === 1 && job(id).status === 'pending' && time.waits().length === 1) || undefined,
    )
    return time.waits()[0]
  }
  t.is(await failOnce('a'), 2000)
  fails = false
  time.advance(2000)
  await until(() => job('a').status === 'completed' || undefined)
  t.is(await failOnce('b'), 2000)
})

test('a waiting job runs when due, even without other work', async t => {
  const { enqueue, store, worker, time, ran, job } = openQueue(t)
  await enqueue('a')
  const [leased] = await store.tables.jobs.lease('test', 1, time.clock().toISOString())
  const dueAt = new Date(time.clock().getTime() + 5000).toISOString()
  await store.tables.jobs.fail([leased!.id], 'elsewhere', dueAt, time.clock().toISOString())
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.deepEqual([time.waits(), ran], [[5000], []])
  time.advance(5000)
  await until(() => job('a').status === 'completed' || undefined)
})

test('a failed batch is repeated job by job, so only the bad job fails (rules.md 3.2)', async t => {
  const { enqueue, worker, time, ran, job } = openQueue(t, {
    batchSize: 3,
    run: async jobs => {
      if (jobs.some(({ id }) => id === 'bad')) await failing()
    },
  })
  await enqueue('a')
  await enqueue('bad', 2)
  await enqueue('c')
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.deepEqual(ran, [['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  t.like(job('a'), { status: 'completed', attempts: 1 })
  t.like(job('bad'), { status: 'pending', attempts: 1, last_error: 'no luck' })
  t.like(job('c'), { status: 'completed', attempts: 1 })
  time.advance(time.waits()[0]!)
  await until(() => job('bad').status === 'dead' || undefined)
})

test('a job abandoned by its worker is dead at once, and the rest of its batch completes', async t => {
  const { enqueue, worker, counted, job } = openQueue(t, {
    batchSize: 3,
    run: async (jobs, _signal, giveUp) => {
      for (const one of jobs) if (one.id === 'b') giveUp(one, 'nobody can read it')
    },
  })
  for (const id of ['a', 'b', 'c']) await enqueue(id)
  worker.wake()
  await until(() => job('b').status === 'dead' && job('c').status === 'completed')
  t.like(job('b'), { attempts: 1, last_error: 'nobody can read it' })
  t.is(job('a').status, 'completed')
  t.deepEqual(counted.map(({ properties: { outcome } }) => outcome).sort(), [
    'accepted',
    'accepted',
    'failed',
  ])
})

test('work without a job runs in steps after the jobs, and pauses after a failure', async t => {
  const done: string[] = []
  const { enqueue, worker, time, job } = openQueue(t, {
    run: async jobs => void done.push(...jobs.map(({ id }) => id)),
    jobless: async () => {
      done.push('piece')
      if (done.length === 2) await enqueue('b')
      if (done.length === 5) await failing()
      return done.length < 7
    },
  })
  await enqueue('a')
  worker.wake()
  await until(() => time.waits().length === 1)
  t.deepEqual(done, ['a', 'piece', 'b', 'piece', 'piece'])
  t.is(job('b').status, 'completed')
  time.advance(time.waits()[0]!)
  await until(() => done.length === 7 && !worker.busy())
  t.deepEqual(done.slice(5), ['piece', 'piece'])
})

test('jobs that run separately fail alone, and the rest of their batch continues', async t => {
  const { enqueue, worker, time, job } = openQueue(t, {
    batchSize: 3,
    apart: 2,
    isOwn: () => true,
    run: async jobs => {
      if (jobs.some(({ id }) => id === 'bad')) await failing()
    },
  })
  for (const id of ['a', 'bad', 'c']) await enqueue(id)
  worker.wake()
  await until(() => job('c').status === 'completed' || undefined)
  await until(() => time.waits().length === 1 || undefined)
  t.like(job('a'), { status: 'completed', attempts: 1 })
  t.like(job('bad'), { status: 'pending', attempts: 1, last_error: 'no luck' })
})

test('a retried job runs alone and costs other jobs no attempt', async t => {
  const beside: string[][] = []
  const { enqueue, raw, worker, job } = openQueue(t, {
    batchSize: 4,
    apart: 4,
    run: async () => {
      beside.push(
        raw.prepare("SELECT id FROM jobs WHERE status = 'leased' ORDER BY id").pluck().all() as string[],
      )
    },
  })
  for (const id of ['a', 'b', 'tried', 'z']) await enqueue(id)
  raw.prepare("UPDATE jobs SET attempts = 1 WHERE id = 'tried'").run()
  worker.wake()
  await until(() => job('z').status === 'completed' || undefined)
  t.deepEqual(beside.at(-2), ['tried'])
  t.false(beside.slice(0, -2).flat().includes('tried'))
  t.like(job('z'), { attempts: 1 })
  t.like(job('tried'), { status: 'completed', attempts: 2 })
})

test('an outage within a failed batch returns the rest of it', async t => {
  const { enqueue, worker, time, ran, job } = openQueue(t, {
    batchSize: 3,
    run: async jobs => {
      if (jobs.length > 1) await failing()
      if (jobs[0]?.id === 'b') throw new Error('away')
    },
    isOutage: error => (error as Error).message === 'away',
  })
  for (const id of ['a', 'b', 'c']) await enqueue(id)
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.deepEqual(ran, [['a', 'b', 'c'], ['a'], ['b']])
  t.is(job('a').status, 'completed')
  for (const id of ['b', 'c']) t.like(job(id), { status: 'pending', attempts: 0, leased_at: null })
})

test('an outage does not count as an attempt', async t => {
  const { enqueue, worker, time, job } = openQueue(t, { run: failing, isOutage: () => true })
  await enqueue('a', 1)
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.like(job('a'), { status: 'pending', attempts: 0, leased_at: null })
})

test('a full disk is an outage for every worker', async t => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const { enqueue, worker, time, job } = openQueue(t, { run: () => Promise.reject(full) })
  await enqueue('a', 1)
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.like(job('a'), { status: 'pending', attempts: 0, leased_at: null })
})

test('nothing is leased while the worker is not ready', async t => {
  let ready = false
  const { enqueue, worker, ran, job } = openQueue(t, { ready: () => ready })
  await enqueue('a')
  worker.wake()
  await enqueue('b')
  t.is(job('a').status, 'pending')
  ready = true
  worker.wake()
  await until(() => ran.length === 2 || undefined)
})

test('a worker that lost its lease cannot complete the job', async t => {
  const { enqueue, store, time, job } = openQueue(t)
  await enqueue('a')
  const now = time.clock().toISOString()
  await store.tables.jobs.lease('test', 1, now)
  t.deepEqual(await store.tables.jobs.releaseStale(now, now), { pending: 1, dead: 0 })
  await store.tables.jobs.complete(['a'], now)
  await store.tables.jobs.fail(['a'], 'late', now, now)
  t.like(job('a'), { status: 'pending', attempts: 1, last_error: null })
})

test('a job whose end the database did not take runs again soon, without a further attempt', async t => {
  const { enqueue, worker, time, ran, job, store } = openQueue(t)
  const { write } = store
  const writes = { count: 0 }
  const flaky: typeof write = (options, work) => {
    if (++writes.count === 2) throw new AppError('storage_unavailable', 'the server is gone')
    return write(options, work)
  }
  Object.assign(store, { write: flaky })
  await enqueue('a')
  worker.wake()
  await until(() => time.waits().length === 1 || undefined)
  t.like(job('a'), { status: 'leased', attempts: 1 })
  time.advance(time.waits()[0] as number)
  await until(() => job('a').status === 'completed' || undefined)
  t.is(job('a').attempts, 1)
  t.deepEqual(ran, [['a'], ['a']])
})

test('a database that is gone returns no job that still runs beside the failed one', async t => {
  const slow = deferred<void>()
  const { enqueue, worker, time, ran, job, store } = openQueue(t, {
    ...{ batchSize: 2, apart: 2, isOwn: () => true },
    run: async jobs => (jobs[0]?.id === 'slow' ? slow.promise : failing()),
  })
  const failed = deferred<void>()
  const gone = async (): Promise<void> => {
    failed.resolve()
    throw new AppError('storage_unavailable', 'the server is gone')
  }
  const { fail } = store.tables.jobs
  Object.assign(store.tables.jobs, { fail: gone })
  for (const id of ['slow', 'bad']) await enqueue(id)
  worker.wake()
  await failed.promise
  Object.assign(store.tables.jobs, { fail })
  await new Promise(setImmediate)
  t.deepEqual(time.waits(), [], 'the batch goes on')
  slow.resolve()
  await until(() => time.waits().length === 1 || undefined)
  t.like(job('slow'), { status: 'completed', attempts: 1 })
  t.is(ran.flat().filter(id => id === 'slow').length, 1)
})

test('close waits for the running batch and starts no other', async t => {
  const batch = deferred<void>()
  const { enqueue, worker, ran, job } = openQueue(t, { run: () => batch.promise })
  await enqueue('a')
  await enqueue('b')
  worker.wake()
  await until(() => ran.length === 1 || undefined)
  const closed = worker.close()
  batch.resolve()
  await closed
  worker.wake()
  t.deepEqual([job('a').status, job('b').status, ran.length], ['completed', 'pending', 1])
})

test('a worker is busy while a job runs, not while it waits', async t => {
  const job = deferred<void>()
  const { enqueue, worker, ran } = openQueue(t, { run: () => job.promise })
  t.false(worker.busy())
  await enqueue('slow')
  worker.wake()
  await until(() => ran.length === 1 || undefined)
  t.true(worker.busy())
  job.resolve()
  t.true(await until(() => !worker.busy()))
})

test('job outcomes are counted as completed, retried and failed with a reason (telemetry.md 3)', async t => {
  let fails = true
  const { enqueue, worker, counted, time, job } = openQueue(t, {
    run: async () => {
      if (fails) throw new AppError('payload_too_large', 'marked words of an error')
    },
  })
  await enqueue('bad', 2)
  worker.wake()
  await until(() => counted.length === 1)
  await until(() => time.waits().length > 0)
  time.advance(60_000)
  await until(() => job('bad').status === 'dead')
  fails = false
  await enqueue('good')
  await until(() => time.waits().length > 0)
  time.advance(60_000)
  await until(() => job('good').status === 'completed')
  t.deepEqual(
    counted.map(({ properties: { class: of, stage, outcome, cause } }) => [of, stage, outcome, cause]),
    [
      ['other', 'test', 'retried', 'payload_too_large'],
      ['other', 'test', 'failed', 'payload_too_large'],
      ['other', 'test', 'accepted', null],
    ],
  )
  t.notRegex(JSON.stringify(counted), /marked/u)
})
