import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { clampedInt, name } from '../../ground/fields.js'

/** Reply of every repair; in a dry run `affected` is the planned number. */
export const repairReply = z.object({
  action: z.string(),
  success: z.boolean(),
  affected: z.int(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type RepairReply = z.infer<typeof repairReply>

export const dryRun = z.boolean().default(false)
const agent = { agentId: name.nullish(), agent_id: name.nullish() }

/** Requires one agent at a time. */
export const oneAgent = {
  ...agent,
  allAgents: z
    .unknown()
    .optional()
    .refine(value => !value, 'name one agent as agentId'),
  scope: z
    .string()
    .max(200)
    .optional()
    .refine(value => value !== 'all', 'name one agent as agentId'),
}

/** A dry run does not write. */
export const writes = {
  method: 'POST',
  permission: 'admin',
  mutates: (body: { dryRun?: boolean }) => body.dryRun !== true,
} as const
const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).prefault({} as never)

/** Upper limits of one job of a vector repair; requests can only lower them (operations.md 5.3). */
export const vectorCeilings = { rows: 50, bytes: 256 * 1024, ms: 2000, workUnits: 100 } as const
/** Maximum memories per embedding batch. */
export const embedCeiling = 20

const maxVectorBytes = clampedInt({ min: 1, max: vectorCeilings.bytes }).default(vectorCeilings.bytes)
const runBudgetMs = clampedInt({ min: 1, max: 60_000 }).default(10_000)
const operationId = z.string().min(1).max(200).optional()

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

export const requeueDead = endpoint({
  ...writes,
  path: '/api/repair/requeue-dead',
  summary: 'Retry failed jobs with all their attempts',
  body: optional({ dryRun }),
  response: repairReply,
})

export const releaseLeases = endpoint({
  ...writes,
  path: '/api/repair/release-leases',
  summary: 'Return jobs of hanging workers to the queue; jobs without attempts left fail',
  body: optional({ dryRun }),
  response: repairReply,
})

export const checkFts = endpoint({
  ...writes,
  path: '/api/repair/check-fts',
  summary: 'Compare the keyword index with the memories, and optionally repair it',
  mutates: (body: { repair?: boolean }) => body.repair === true,
  body: optional({ repair: z.boolean().default(false) }),
  response: repairReply,
})

export const retentionSweep = endpoint({
  ...writes,
  path: '/api/repair/retention-sweep',
  summary: 'Delete data past its retention period, up to a maximum number of rows',
  body: optional({ dryRun }),
  response: repairReply,
})

export const embeddingGaps = endpoint({
  method: 'GET',
  path: '/api/repair/embedding-gaps',
  summary: 'Count memories without a vector from the embedding model',
  permission: 'admin',
  mutates: false,
  response: repairReply.extend({
    unembedded: z.int(),
    total: z.int(),
    /** Share of memories with a vector, 0 to 1. */
    coverage: z.number(),
  }),
})

export const dedupStats = endpoint({
  method: 'GET',
  path: '/api/repair/dedup-stats',
  summary: 'Count possible duplicates by content hash',
  permission: 'admin',
  mutates: false,
  response: repairReply.extend({
    total: z.int(),
    /** Contents of several rows, and the rows beyond the first of each. */
    duplicateGroups: z.int(),
    duplicates: z.int(),
  }),
})

export const deduplicate = endpoint({
  ...writes,
  path: '/api/repair/deduplicate',
  summary: 'Merge duplicate memories',
  body: optional({
    dryRun,
    /** Maximum rows that one call removes. */
    batchSize: clampedInt({ min: 1, max: 500 }).default(100),
    /** Also compares the meaning of rows, by their vectors. */
    semanticEnabled: z.boolean().default(false),
    /** Minimum cosine of duplicate vectors. */
    semanticThreshold: z.number().min(0.8).max(1).default(0.95),
    /** Continues a running operation. */
    operationId: z.string().min(1).max(200).optional(),
  }),
  response: repairReply,
})

export const relinkEntities = endpoint({
  ...writes,
  path: '/api/repair/relink-entities',
  summary: 'Link memories without entities to the entities they name',
  body: optional({ ...agent, dryRun, batchSize: clampedInt({ min: 1, max: 500 }).default(500) }),
  response: repairReply.extend({
    dryRun: z.boolean(),
    /** Memories checked, and those of them that name an entity. */
    processed: z.int(),
    linked: z.int(),
    /** Entities named. Aspects and attributes are never created: 0. */
    entities: z.int(),
    aspects: z.int(),
    attributes: z.int(),
    /** The agent's unlinked memories that were not checked yet. */
    remaining: z.int(),
    /** Unlinked memories after this call, or after the real run. */
    projectedRemaining: z.int(),
  }),
})

const cursor = z.object({ updatedAt: z.string().min(1).max(40), id: z.string().min(1).max(200) })

export const pruneGenericEntities = endpoint({
  ...writes,
  path: '/api/repair/prune-generic-entities',
  summary: 'Remove entities with meaningless names and no facts',
  mutates: (body: { dryRun?: boolean }) => body.dryRun === false,
  body: optional({
    ...agent,
    dryRun: z.boolean().default(true),
    candidateLimit: clampedInt({ min: 1, max: 500 }).default(100),
    inspectionLimit: clampedInt({ min: 1, max: 5000 }).default(1000),
    cursor: cursor.nullish(),
  }),
  response: repairReply,
})

export const listRepairs = endpoint({
  method: 'GET',
  path: '/api/repair',
  summary: 'List repairs and when each last ran',
  permission: 'admin',
  mutates: false,
  response: z.object({
    repairs: z.array(
      z.object({
        /** Name used in `memory repair` and in the route. */
        name: z.string(),
        action: z.string(),
        summary: z.string(),
        /** It only counts: a GET without changes. */
        isReading: z.boolean(),
        /** Calls left in this hour. */
        callsLeft: z.int(),
        /** Earliest time of the next call. */
        nextAt: z.string().nullable(),
        lastRun: z
          .object({
            outcome: z.enum(['running', 'done', 'failed', 'interrupted']),
            affected: z.int(),
            message: z.string(),
            actor: z.string(),
            startedAt: z.string(),
            endedAt: z.string().nullable(),
          })
          .nullable(),
      }),
    ),
  }),
})
