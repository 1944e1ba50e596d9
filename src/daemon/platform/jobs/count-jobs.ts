import { AppError } from '../../../contract/ground/errors.js'
import type { EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { JobRow } from '../../../store/tables/platform/jobs.js'
import type { JobKind } from '../../ground/jobs/job-kind.js'
import { durationBucket } from '../../ground/recording/source-lifecycle.js'
import type { EventRecorder } from '../../ground/telemetry/event-recorder.js'

/** How a try of jobs ended, for telemetry. */
export interface JobsEnd {
  outcome: EventProperties<'pipeline.operation'>['outcome']
  cause: string | null
  /** Of all of them together. */
  durationMs: number
  now: Date
}

/** Counts jobs that ended or are tried again: what for, how, how long they waited and took (telemetry.md 3). */
export function countJobs(
  telemetry: Pick<EventRecorder, 'count'>,
  { kind, workload = 'other' }: Pick<JobKind, 'kind' | 'workload'>,
  jobs: readonly Pick<JobRow, 'created_at'>[],
  { outcome, cause, durationMs: together, now }: JobsEnd,
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

/** Why jobs failed, as a fixed word: no message of an error is told. */
export function causeOf(error: unknown, { isOutage }: { isOutage: boolean }): string {
  if (storageFault(error) !== undefined) return 'storage'
  if (error instanceof AppError) return error.code
  return isOutage ? 'outage' : 'error'
}
