import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import type { TelemetryEvent } from '../../src/daemon/ground/telemetry/event-recorder.js'
import { createJobWorker, type JobWorkerOptions } from '../../src/daemon/platform/jobs/job-worker.js'
import type { JobRow } from '../../src/store/tables/platform/jobs.js'
import { manualTime } from './manual-time.js'
import { openRaw, openTestStore } from './store.js'

type Counted = TelemetryEvent<'pipeline.operation'>

/** Opens a queue whose worker runs `run`; the memory of each job has the id of the job. */
export function openQueue(t: ExecutionContext, options: Partial<JobWorkerOptions> = {}) {
  const { store, file } = openTestStore(t)
  const raw = openRaw(t, file)
  const time = manualTime()
  const ran: string[][] = []
  const counted: Counted[] = []
  const telemetry = { count: (event: TelemetryEvent) => void counted.push(event as Counted) }
  const worker = createJobWorker(
    { store, clock: time.clock, log: pino({ level: 'silent' }), telemetry },
    {
      job: { kind: 'test', maxAttempts: 3 },
      batchSize: 1,
      timers: time.timers,
      random: () => 0,
      ...options,
      run: async (jobs, signal, giveUp) => {
        ran.push(jobs.map(({ id }) => id))
        await options.run?.(jobs, signal, giveUp)
      },
    },
  )
  t.teardown(worker.close)
  return {
    store,
    raw,
    time,
    counted,
    ran,
    worker,
    enqueue: (id: string, maxAttempts = 3) =>
      store.tables.jobs.enqueue(
        { id, kind: 'test', subject: id, payload: '{}', maxAttempts },
        time.clock().toISOString(),
      ),
    job: (id: string) => raw.prepare('SELECT * FROM jobs WHERE id = ?').get(id) as JobRow,
  }
}
