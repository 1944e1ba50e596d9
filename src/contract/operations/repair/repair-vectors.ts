import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { clampedInt, name } from '../../ground/fields.js'
import { dryRun, oneAgent, repairReply, writes } from './repair.js'

/** Upper limits of one job of a vector repair; requests can only lower them (operations.md 5.3). */
export const vectorCeilings = { rows: 50, bytes: 256 * 1024, ms: 2000, workUnits: 100 } as const
/** Maximum memories per embedding batch. */
export const embedCeiling = 20

const maxVectorBytes = clampedInt({ min: 1, max: vectorCeilings.bytes }).default(vectorCeilings.bytes)
const runBudgetMs = clampedInt({ min: 1, max: 60_000 }).default(10_000)
const operationId = z.string().min(1).max(200).optional()
const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).prefault({} as never)

export const reEmbed = endpoint({
  ...writes,
  path: '/api/repair/re-embed',
  summary: 'Embed memories whose vector is missing or damaged',
  body: optional({
    dryRun,
    batchSize: clampedInt({ min: 1, max: embedCeiling }).default(embedCeiling),
    /** Repeats batches until the run budget ends. */
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
  summary:
    'Embed memories again whose vector is from another model; each old vector stays until it is replaced',
  body: optional({
    dryRun,
    batchSize: clampedInt({ min: 1, max: vectorCeilings.rows }).default(embedCeiling),
    /** Includes vectors of the present model. */
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
  /** Maximum jobs per call. */
  maxBatches: clampedInt({ min: 1, max: 100 }).default(10),
})

const scopedReply = repairReply.extend({
  operation: z.string(),
  agentId: z.string(),
  /** A call with the same scope continues from it; null for a dry run. */
  checkpointId: z.string().nullable(),
  /** The present or final phase. */
  phase: z.string(),
  status: z.enum(['running', 'complete']),
  /** Rows checked since the start, and the results for faulty ones. */
  processed: z.int(),
  skipped: z.int(),
  failed: z.int(),
  /** Remaining rows; null before they were counted. */
  remaining: z.int().nullable(),
  remainingStatus: z.enum(['exact', 'unknown']),
})
export type ScopedReply = z.infer<typeof scopedReply>

export const cleanOrphans = endpoint({
  ...writes,
  path: '/api/repair/clean-orphans',
  summary: 'Delete vectors and other rows without an owner',
  body: scoped,
  response: scopedReply,
})

export const resyncVectors = endpoint({
  ...writes,
  path: '/api/repair/resync-vectors',
  summary: 'Add missing vectors to the index',
  body: scoped,
  response: scopedReply,
})
