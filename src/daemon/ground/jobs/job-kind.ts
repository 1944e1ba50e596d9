import type { z } from 'zod'
import type { WorkloadClass } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { JobRow, NewJob } from '../../../store/tables/platform/jobs.js'

/** One kind of job: its name, retry limit and payload. Exactly one worker handles it. */
export interface JobKind<Payload = undefined> {
  readonly kind: string
  readonly maxAttempts: number
  /** Workload class for telemetry; `other` by default. */
  readonly workload?: WorkloadClass
  /** True if it needs files of the daemon that queues it: of several daemons no other may do it. */
  readonly isLocal?: boolean
  /** Schema of the payload, validated when the job is read; without one jobs have none. */
  readonly payload?: z.ZodType<Payload>
}

/** A leased job for its worker. */
export interface Job<Payload = undefined> {
  id: string
  /** Id of a memory, capture, agent or other subject. Open jobs of one kind have different subjects. */
  subject: string
  /** Including this one. */
  attempts: number
  maxAttempts: number
  payload: Payload
}

/** Builds a job to queue; it is skipped if an open job of the same kind and subject exists. */
export function newJob<Payload = undefined>(
  { newId }: { newId: () => string },
  { kind, maxAttempts, isLocal }: JobKind<Payload>,
  subject: string,
  payload?: Payload,
): NewJob {
  const job = { id: newId(), kind, subject, maxAttempts, payload: JSON.stringify(payload ?? {}) }
  return isLocal ? { ...job, isLocal } : job
}

/** @throws Error if the payload does not match the kind's schema. */
export function readJob<Payload>({ payload }: JobKind<Payload>, row: JobRow): Job<Payload> {
  const { id, subject, attempts, max_attempts: maxAttempts } = row
  const carried = payload?.parse(JSON.parse(row.payload)) as Payload
  return { id, subject, attempts, maxAttempts, payload: carried }
}
