import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { clampedInt, name } from '../../ground/fields.js'

/** What each repair answers; `affected` of a dry run is what would be. */
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

/** One agent at a time. */
export const oneAgent = {
  ...agent,
  allAgents: z
    .unknown()
    .optional()
    .refine(value => !value, 'one agent at a time: name it as agentId'),
  scope: z
    .string()
    .max(200)
    .optional()
    .refine(value => value !== 'all', 'one agent at a time: name it as agentId'),
}

/** A dry run is no write. */
export const writes = {
  method: 'POST',
  permission: 'admin',
  mutates: (body: { dryRun?: boolean }) => body.dryRun !== true,
} as const
const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).prefault({} as never)

export const requeueDead = endpoint({
  ...writes,
  path: '/api/repair/requeue-dead',
  summary: 'Give jobs that failed for good all their attempts again',
  body: optional({ dryRun }),
  response: repairReply,
})

export const releaseLeases = endpoint({
  ...writes,
  path: '/api/repair/release-leases',
  summary: 'Give back jobs whose workers hang; those without attempts left are dead',
  body: optional({ dryRun }),
  response: repairReply,
})

export const checkFts = endpoint({
  ...writes,
  path: '/api/repair/check-fts',
  summary: 'Compare the keyword index with the memories, and mend it if asked to',
  mutates: (body: { repair?: boolean }) => body.repair === true,
  body: optional({ repair: z.boolean().default(false) }),
  response: repairReply,
})

export const retentionSweep = endpoint({
  ...writes,
  path: '/api/repair/retention-sweep',
  summary: 'Delete now what is past its retention, a bounded number of rows',
  body: optional({ dryRun }),
  response: repairReply,
})

export const embeddingGaps = endpoint({
  method: 'GET',
  path: '/api/repair/embedding-gaps',
  summary: 'How many memories have no vector of the embedding model',
  permission: 'admin',
  mutates: false,
  response: repairReply.extend({
    unembedded: z.int(),
    total: z.int(),
    /** Share of the memories that have one, 0 to 1. */
    coverage: z.number(),
  }),
})

export const dedupStats = endpoint({
  method: 'GET',
  path: '/api/repair/dedup-stats',
  summary: 'How many memories may be duplicates, by the hash of their content',
  permission: 'admin',
  mutates: false,
  response: repairReply.extend({
    total: z.int(),
    /** Contents that several rows have, and those rows beyond the first of each. */
    duplicateGroups: z.int(),
    duplicates: z.int(),
  }),
})

export const deduplicate = endpoint({
  ...writes,
  path: '/api/repair/deduplicate',
  summary: 'Make one memory of those that say the same',
  body: optional({
    dryRun,
    /** Rows that one call takes away at most. */
    batchSize: clampedInt({ min: 1, max: 500 }).default(100),
    /** Also rows that say the same in other words, by their vectors. */
    semanticEnabled: z.boolean().default(false),
    /** Cosine from which on two vectors are near enough. */
    semanticThreshold: z.number().min(0.8).max(1).default(0.95),
    /** Goes on with one that is running. */
    operationId: z.string().min(1).max(200).optional(),
  }),
  response: repairReply,
})

export const relinkEntities = endpoint({
  ...writes,
  path: '/api/repair/relink-entities',
  summary: 'Attach memories that speak of no entity to those that they name',
  body: optional({ ...agent, dryRun, batchSize: clampedInt({ min: 1, max: 500 }).default(500) }),
  response: repairReply.extend({
    dryRun: z.boolean(),
    /** Memories that were looked at, and those of them that name an entity. */
    processed: z.int(),
    linked: z.int(),
    /** Entities that they name. Aspects and attributes are never made: 0. */
    entities: z.int(),
    aspects: z.int(),
    attributes: z.int(),
    /** Memories of the agent that speak of no entity and were not looked at yet. */
    remaining: z.int(),
    /** Those that speak of none after this call, or would. */
    projectedRemaining: z.int(),
  }),
})

const cursor = z.object({ updatedAt: z.string().min(1).max(40), id: z.string().min(1).max(200) })

export const pruneGenericEntities = endpoint({
  ...writes,
  path: '/api/repair/prune-generic-entities',
  summary: 'Take out entities whose names say nothing and of which nothing is known',
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
  summary: 'What can be repaired, and when each repair last ran',
  permission: 'admin',
  mutates: false,
  response: z.object({
    repairs: z.array(
      z.object({
        /** As `memory repair` and the route call it. */
        name: z.string(),
        action: z.string(),
        summary: z.string(),
        /** It only counts: a GET, that changes nothing. */
        isReading: z.boolean(),
        /** Calls that are left in this hour. */
        callsLeft: z.int(),
        /** When it may be called again. */
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
