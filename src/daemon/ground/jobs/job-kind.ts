import type { z } from 'zod'
import type { WorkloadClass } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { JobRow, NewJob } from '../../../store/tables/platform/jobs.js'

/** One kind of job: what its row is called, how often it is tried, and what it carries. Exactly one worker does it. */
export interface JobKind<Payload = undefined> {
  readonly kind: string
  readonly maxAttempts: number
  /** What it is for, in general, as telemetry tells it: `other` where nothing is said. */
  readonly workload?: WorkloadClass
  /** What a job carries beside its subject, checked when it is read; without one it carries nothing. */
  readonly payload?: z.ZodType<Payload>
}

/** A leased job as its worker gets it. */
export interface Job<Payload = undefined> {
  id: string
  /** What it is about: the id of a memory, a capture, an agent. Open jobs of one kind have different ones. */
  subject: string
  /** This one included. */
  attempts: number
  maxAttempts: number
  payload: Payload
}

/** A job to be queued; it is not added when an open job of the same kind and subject exists. */
export function newJob<Payload = undefined>(
  { newId }: { newId: () => string },
  { kind, maxAttempts }: JobKind<Payload>,
  subject: string,
  payload?: Payload,
): NewJob {
  return { id: newId(), kind, subject, maxAttempts, payload: JSON.stringify(payload ?? {}) }
}

/** @throws Error when the row carries something else than jobs of its kind do. */
export function readJob<Payload>({ payload }: JobKind<Payload>, row: JobRow): Job<Payload> {
  const { id, subject, attempts, max_attempts: maxAttempts } = row
  const carried = payload?.parse(JSON.parse(row.payload)) as Payload
  return { id, subject, attempts, maxAttempts, payload: carried }
}
