import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { pipelineModes } from '../ground/wire-names.js'

/** States of the one conversion that a database of an older release needs (operations.md 6.3). */
export const conversionStates = ['not_required', 'pending', 'running', 'completed', 'failed'] as const

export const vacuumConversion = z.object({
  state: z.enum(conversionStates),
  /** Attempts that failed or were killed. */
  attempts: z.int(),
  maxAttempts: z.int(),
  requestedAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  lastError: z.string().nullable(),
})
export type VacuumConversion = z.infer<typeof vacuumConversion>

/** A background worker that processes jobs. */
const worker = z.object({
  /** True while it accepts jobs: from the loading of the index until the daemon stops. */
  running: z.boolean(),
  /** Running jobs. */
  inFlight: z.int(),
  /** Maximum concurrent jobs. */
  maxInFlight: z.int(),
})
export type WorkerLoad = z.infer<typeof worker>

/** Jobs of a queue by state; empty while the daemon is stopping. */
const queue = z
  .object({
    /** Jobs that are due or scheduled. */
    pending: z.int(),
    leased: z.int(),
    completed: z.int(),
    /** Jobs in `pending` that failed before and will be retried. */
    failed: z.int(),
    dead: z.int(),
  })
  .partial()
export type QueueCounts = z.infer<typeof queue>

export const queueNames = ['memory', 'summary', 'capture', 'document', 'source', 'import'] as const
export type QueueName = (typeof queueNames)[number]

export const pipelineStatus = endpoint({
  method: 'GET',
  path: '/api/pipeline/status',
  summary: 'Get the mode, workers, queues and failures of the background work',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    mode: z.enum(pipelineModes),
    /** Workers by name: `document`, `dreaming`, `embedding` and others. */
    workers: z.record(z.string(), worker),
    databaseMaintenance: z.object({ vacuumConversion }),
    queues: z.record(z.enum(queueNames), queue),
    /** Health of the daemon, as in `GET /api/status`. */
    diagnostics: z.object({ score: z.number(), status: z.enum(['healthy', 'degraded', 'unhealthy']) }),
    /** Durations of recent jobs by worker, in milliseconds; a batch counts once. */
    latency: z.record(
      z.string(),
      z.object({ count: z.int(), p50: z.number(), p95: z.number(), p99: z.number() }),
    ),
    /** Failed attempts since the start, by worker. */
    errorSummary: z.object({ total: z.int(), byStage: z.record(z.string(), z.int()) }),
  }),
})
export type PipelineStatus = z.infer<typeof pipelineStatus.response>

const control = { method: 'POST', permission: 'admin', mutates: false, bucket: 'admin' } as const

const controlled = z.object({
  success: z.boolean(),
  /** False when agent.yaml already had this value. */
  changed: z.boolean(),
  paused: z.boolean(),
  /** The settings file. */
  file: z.string(),
  /** `frozen` and `disabled` stop more than a pause does. */
  mode: z.enum(pipelineModes),
})

const quiescence = z.object({
  /**
   * Running work: passes of Dreaming with their model calls, writes of MEMORY.md, batches of a vector repair.
   */
  activeAtStart: z.int(),
  /** Cancelled work. */
  aborted: z.int(),
  /** Work still running at the end of the wait; 0 means that everything stopped. */
  remaining: z.int(),
  timedOut: z.boolean(),
})
export type Quiescence = z.infer<typeof quiescence>

export const pausePipeline = endpoint({
  ...control,
  path: '/api/pipeline/pause',
  summary: 'Pause background extraction and cancel running passes',
  response: controlled.extend({ quiescence }),
})

export const resumePipeline = endpoint({
  ...control,
  path: '/api/pipeline/resume',
  summary: 'Resume background extraction',
  response: controlled,
})
