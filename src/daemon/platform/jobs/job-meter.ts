import { AppError } from '../../../contract/ground/errors.js'
import type { WorkerLoad } from '../../../contract/operations/pipeline.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { JobRow } from '../../../store/tables/platform/jobs.js'
import type { JobKind } from '../../ground/jobs/job-kind.js'
import { durationBucket } from '../../ground/recording/source-lifecycle.js'
import type { EventRecorder } from '../../ground/telemetry/event-recorder.js'

/** Load and failures of one kind of job since the start; times in milliseconds. */
export interface JobReport extends Omit<WorkerLoad, 'running'> {
  /** Failed attempts that were the job's own fault. */
  failures: number
  /** Per batch: jobs that were leased and done together. */
  latency: { count: number; p50: number; p95: number; p99: number }
}

export interface JobMeter {
  /** Records the start of a batch. @returns a function to call at its end */
  begin(jobs: number): (end: 'done' | 'failed' | 'given_up') => void
  report(): Pick<JobReport, 'inFlight' | 'failures' | 'latency'>
}

/** Number of latest times kept. */
const keptTimes = 512

/** How an attempt at jobs ended, for telemetry. */
export interface AttemptOutcome {
  outcome: EventProperties<'pipeline.operation'>['outcome']
  cause: string | null
  /** Total duration of all jobs. */
  durationMs: number
  now: Date
}

export function createJobMeter(now: () => number = () => performance.now()): JobMeter {
  const times: number[] = []
  const counts = { inFlight: 0, failures: 0, done: 0 }
  return {
    begin: jobs => {
      const began = now()
      counts.inFlight += jobs
      return end => {
        counts.inFlight -= jobs
        if (end === 'failed') counts.failures += jobs
        if (end !== 'done') return
        times[counts.done % keptTimes] = now() - began
        counts.done++
      }
    },
    report: () => {
      const sorted = [...times].sort((a, b) => a - b)
      const at = (share: number): number =>
        Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0)
      return {
        inFlight: counts.inFlight,
        failures: counts.failures,
        latency: { count: counts.done, p50: at(0.5), p95: at(0.95), p99: at(0.99) },
      }
    },
  }
}

/** Counts finished and retried jobs by kind, outcome, queue time and duration (telemetry.md 3). */
export function countJobs(
  telemetry: Pick<EventRecorder, 'count'>,
  { kind, workload = 'other' }: Pick<JobKind, 'kind' | 'workload'>,
  jobs: readonly Pick<JobRow, 'created_at'>[],
  { outcome, cause, durationMs: together, now }: AttemptOutcome,
): void {
  const durationMs = Math.round(together / Math.max(1, jobs.length))
  for (const { created_at } of jobs) {
    const queueAgeMs = Math.max(0, now.getTime() - Math.round(together) - Date.parse(created_at))
    telemetry.count({
      event: 'pipeline.operation',
      properties: {
        class: workload,
        stage: kind,
        outcome,
        cause,
        operations: 1,
        durationMs,
        queueAgeMs,
        durationBucket: durationBucket(durationMs),
        queueAgeBucket: durationBucket(queueAgeMs),
      },
    })
  }
}

/** The cause of a failure as a fixed word; error messages are not recorded. */
export function causeOf(error: unknown, { isOutage }: { isOutage: boolean }): string {
  if (storageFault(error) !== undefined) return 'storage'
  if (error instanceof AppError) return error.code
  return isOutage ? 'outage' : 'error'
}
