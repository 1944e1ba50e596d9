import { AppError } from '../../../contract/ground/errors.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { JobRow } from '../../../store/tables/platform/jobs.js'
import type { JobKind } from '../../ground/jobs/job-kind.js'
import { durationBucket } from '../../ground/recording/source-lifecycle.js'
import type { EventRecorder } from '../../ground/telemetry/event-recorder.js'

/** How an attempt at jobs ended, for telemetry. */
export interface AttemptOutcome {
  outcome: EventProperties<'pipeline.operation'>['outcome']
  cause: string | null
  /** Total duration of all jobs. */
  durationMs: number
  now: Date
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
