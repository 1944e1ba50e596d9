import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { clampedInt, name } from '../../ground/fields.js'
import { dryRun, oneAgent, repairReply, writes } from './repair.js'

/** Most that one job of a vector repair takes on; what a request says can only lower it (operations.md 5.3). */
export const vectorCeilings = { rows: 50, bytes: 256 * 1024, ms: 2000, workUnits: 100 } as const
/** Memories that one batch of texts embeds at most. */
export const embedCeiling = 20

const maxVectorBytes = clampedInt({ min: 1, max: vectorCeilings.bytes }).default(vectorCeilings.bytes)
const runBudgetMs = clampedInt({ min: 1, max: 60_000 }).default(10_000)
const operationId = z.string().min(1).max(200).optional()
const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).prefault({} as never)

export const reEmbed = endpoint({
  ...writes,
  path: '/api/repair/re-embed',
  summary: 'Make vectors of memories that have none, or a damaged one',
  body: optional({
    dryRun,
    batchSize: clampedInt({ min: 1, max: embedCeiling }).default(embedCeiling),
    /** Batch after batch until the run budget ends. */
    fullSweep: z.boolean().default(false),
    operationId,
    maxVectorBytes,
    runBudgetMs,
  }),
  response: repairReply,
})

export const reEmbedMigration = endpoint({
  ...writes,
  path: '/api/repair/re-embed-migration',
  summary: 'Make vectors anew that another model made; each stays until the new one is there',
  body: optional({
    dryRun,
    batchSize: clampedInt({ min: 1, max: vectorCeilings.rows }).default(embedCeiling),
    /** Those of the present model too. */
    all: z.boolean().default(false),
    agentId: name.nullish(),
    agent_id: name.nullish(),
    operationId,
    maxVectorBytes,
    runBudgetMs,
  }),
  response: repairReply.extend({ totalMatching: z.int() }),
})

const scoped = optional({
  ...oneAgent,
  dryRun,
  batchSize: clampedInt({ min: 1, max: vectorCeilings.rows }).default(vectorCeilings.rows),
  maxVectorBytes,
  /** Jobs that one call does at most. */
  maxBatches: clampedInt({ min: 1, max: 100 }).default(10),
})

const scopedReply = repairReply.extend({
  operation: z.string(),
  agentId: z.string(),
  /** Goes on by itself with the same scope; null for a dry run. */
  checkpointId: z.string().nullable(),
  /** What it works on, or ended with. */
  phase: z.string(),
  status: z.enum(['running', 'complete']),
  /** Rows that were looked at since it began, and what became of those that were not in order. */
  processed: z.int(),
  skipped: z.int(),
  failed: z.int(),
  /** What is left to be done; null while nobody has counted that. */
  remaining: z.int().nullable(),
  remainingStatus: z.enum(['exact', 'unknown']),
})
export type ScopedReply = z.infer<typeof scopedReply>

export const cleanOrphans = endpoint({
  ...writes,
  path: '/api/repair/clean-orphans',
  summary: 'Delete vectors, and other rows, whose owner is gone',
  body: scoped,
  response: scopedReply,
})

export const resyncVectors = endpoint({
  ...writes,
  path: '/api/repair/resync-vectors',
  summary: 'Put vectors that the index lacks into it',
  body: scoped,
  response: scopedReply,
})
