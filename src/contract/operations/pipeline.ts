import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { pipelineModes } from '../ground/pipeline-modes.js'

/** Of the one conversion that a database of an older release needs (operations.md 6.3). */
export const conversionStates = ['not_required', 'pending', 'running', 'completed', 'failed'] as const

export const vacuumConversion = z.object({
  state: z.enum(conversionStates),
  /** Tries that failed or were cut short by a kill. */
  attempts: z.int(),
  maxAttempts: z.int(),
  requestedAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  lastError: z.string().nullable(),
})
export type VacuumConversion = z.infer<typeof vacuumConversion>

/** Work in the background that is done by jobs. */
const worker = z.object({
  /** Whether it takes jobs: from when the index is loaded until the daemon stops. */
  running: z.boolean(),
  /** Jobs that it has in hand. */
  inFlight: z.int(),
  /** Jobs that it takes in hand at a time. */
  maxInFlight: z.int(),
})
export type WorkerLoad = z.infer<typeof worker>

/** Jobs of one queue by their state; empty while the daemon is stopping. */
const queue = z
  .object({
    /** Due or waiting for their time. */
    pending: z.int(),
    leased: z.int(),
    completed: z.int(),
    /** Those of `pending` that failed before and are tried again. */
    failed: z.int(),
    dead: z.int(),
  })
  .partial()
export type QueueCounts = z.infer<typeof queue>

export const queueNames = ['memory', 'summary', 'document', 'source', 'import'] as const
export type QueueName = (typeof queueNames)[number]

export const pipelineStatus = endpoint({
  method: 'GET',
  path: '/api/pipeline/status',
  summary: 'The mode of the background work, what it has in hand, what waits and what failed',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    mode: z.enum(pipelineModes),
    /** What does jobs: `document`, `dreaming`, `embedding` and others. */
    workers: z.record(z.string(), worker),
    databaseMaintenance: z.object({ vacuumConversion }),
    queues: z.record(z.enum(queueNames), queue),
    /** The verdict on the daemon, as `GET /api/status` has it. */
    diagnostics: z.object({ score: z.number(), status: z.enum(['healthy', 'degraded', 'unhealthy']) }),
    /** Milliseconds that the last jobs took, by their worker; those that are done together count once. */
    latency: z.record(
      z.string(),
      z.object({ count: z.int(), p50: z.number(), p95: z.number(), p99: z.number() }),
    ),
    /** Tries of jobs that failed since the start, by their worker. */
    errorSummary: z.object({ total: z.int(), byStage: z.record(z.string(), z.int()) }),
  }),
})
export type PipelineStatus = z.infer<typeof pipelineStatus.response>

const control = { method: 'POST', permission: 'admin', mutates: false, bucket: 'admin' } as const

const controlled = z.object({
  success: z.boolean(),
  /** False where agent.yaml said so already. */
  changed: z.boolean(),
  paused: z.boolean(),
  /** The settings that it stands in. */
  file: z.string(),
  /** `frozen` and `disabled` stop more than a pause does. */
  mode: z.enum(pipelineModes),
})

const quiescence = z.object({
  /**
   * What was in hand: passes of Dreaming, questions of theirs to a model, writings of MEMORY.md, batches of a repair that
   * makes vectors.
   */
  activeAtStart: z.int(),
  /** Those that were given up. */
  aborted: z.int(),
  /** Those that had not ended when the wait was over; 0 says that nothing goes on. */
  remaining: z.int(),
  timedOut: z.boolean(),
})
export type Quiescence = z.infer<typeof quiescence>

export const pausePipeline = endpoint({
  ...control,
  path: '/api/pipeline/pause',
  summary: 'Let the work that draws something from what was said stand still; what is on its way is given up',
  response: controlled.extend({ quiescence }),
})

export const resumePipeline = endpoint({
  ...control,
  path: '/api/pipeline/resume',
  summary: 'Let the work that draws something from what was said go on',
  response: controlled,
})
