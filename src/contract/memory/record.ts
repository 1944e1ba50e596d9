import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import {
  clampedQueryInt,
  id,
  inspectedSafety,
  name,
  projectName,
  queryBoolean,
  queryInt,
  readableType,
  tags,
  timestamp,
} from '../ground/fields.js'

/** A holder of a memory: an agent that saved it, or saved the same text again (rules.md#holders). */
const holder = z.object({
  agent_id: z.string(),
  project: z.string().nullable(),
  scope: z.string().nullable(),
  /** `private`: visible to this agent only. */
  visibility: z.string(),
  held_at: z.string(),
})

const memoryRecord = z.object({
  id: z.string(),
  content: z.string(),
  /** The text as it was given, if its line breaks or spaces differ from the content's (rules.md 1.1.6). */
  verbatim: z.string().optional(),
  type: z.string(),
  importance: z.number(),
  tags: z.string(),
  pinned: z.int(),
  who: z.string().nullable(),
  source_id: z.string().nullable(),
  source_type: z.string().nullable(),
  source_path: z.string().nullable(),
  sourcePath: z.string().nullable(),
  runtime_path: z.string().nullable(),
  runtimePath: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
  project: z.string().nullable(),
  /** Git branch and commit that were checked out when it was saved (projects.md#branches). */
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  scope: z.string().nullable(),
  session_id: z.string().nullable(),
  confidence: z.number().nullable(),
  access_count: z.int(),
  last_accessed: z.string().nullable(),
  is_deleted: z.int(),
  deleted_at: z.string().nullable(),
  extraction_status: z.string(),
  embedding_model: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.string(),
  memory_kind: z.string(),
  agent_id: z.string(),
  visibility: z.string(),
  superseded_by: z.string().nullable(),
  superseded_at: z.string().nullable(),
  superseded_reason: z.string().nullable(),
  occurred_at: z.string().nullable(),
  observed_at: z.string().nullable(),
  source_created_at: z.string().nullable(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
  review_after: z.string().nullable(),
  /** Recall and session starts leave it out from then on (rules.md 1.4.1). */
  expires_at: z.string().nullable(),
  structured: z.unknown(),
  hints: z.array(z.string()),
  /**
   * Holders the caller may know, the first one first; agent_id, project, scope and visibility are that one's.
   */
  holders: z.array(holder),
  contentSafety: inspectedSafety,
})
export type MemoryRecord = z.infer<typeof memoryRecord>

/** The agent that reads (rules.md 4.4). */
export const agentQuery = z.object({ agentId: name.optional(), agent_id: name.optional() })
export const memoryParams = z.object({ id })

export const getMemory = endpoint({
  method: 'GET',
  path: '/api/memory/:id',
  summary: 'Get a memory',
  permission: 'recall',
  mutates: false,
  params: memoryParams,
  memoryIds: ['params.id'],
  query: agentQuery,
  response: memoryRecord,
})

/** Fields of a memory in a list (rules.md 4.2). */
export const listedMemory = memoryRecord.pick({
  id: true,
  content: true,
  created_at: true,
  who: true,
  importance: true,
  tags: true,
  source_type: true,
  pinned: true,
  type: true,
  contentSafety: true,
})
export type ListedMemory = z.infer<typeof listedMemory>

/** Filters of a list; a missing field does not restrict. */
const listFilter = agentQuery.extend({
  /** One type, or several with commas between them. */
  type: z
    .string()
    .transform(text => text.split(',').map(type => type.trim()))
    .pipe(z.array(readableType))
    .optional(),
  /** All of them must be present. */
  tags: tags.optional(),
  project: projectName.optional(),
  branch: name.optional(),
  who: name.optional(),
  /** The agent that has it; `agentId` is the reader. */
  heldBy: name.optional(),
  safety: z.enum(['clean', 'tainted', 'blocked']).optional(),
  pinned: queryBoolean.optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
  /** Only memories saved in this session. */
  sessionId: name.optional(),
  /** Only memories with this `memory_kind`. */
  kind: name.optional(),
})
export type ListFilter = z.infer<typeof listFilter>

/** Orders of a list of memories; ties are listed newest first. */
export const listOrders = ['newest', 'oldest', 'changed', 'importance'] as const
export type ListOrder = (typeof listOrders)[number]

export const listMemories = endpoint({
  method: 'GET',
  path: '/api/memories',
  summary: 'List memories, newest first',
  permission: 'recall',
  mutates: false,
  query: listFilter.extend({
    limit: queryInt({ min: 1, max: 1000 }).default(100),
    offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
    /** Only memories that are older than so many days and that no recall found in them; pinned ones never. */
    unusedDays: queryInt({ min: 1, max: 3650 }).optional(),
    /** Leaves out memories that others replaced. */
    current: queryBoolean.default(false),
    /** Only memories that have expired. */
    expired: queryBoolean.default(false),
    /** Lists forgotten memories instead; the counts in `stats` still refer to live ones. */
    deleted: queryBoolean.default(false),
    sort: z.enum(listOrders).default('newest'),
    /** Truncates contents to this many UTF-16 units. */
    maxContent: clampedQueryInt({ min: 1, max: 100_000 }).optional(),
  }),
  response: z.object({
    memories: z.array(listedMemory.extend({ project: z.string().nullable(), version: z.int() })),
    /** Number of memories that match the filters. */
    matching: z.int(),
    /** Counts of all memories, regardless of the filters. */
    stats: z.object({ total: z.int(), withEmbeddings: z.int(), critical: z.int() }),
  }),
})

const valueCount = z.object({ value: z.string(), count: z.int() })
const valueCounts = z.object({
  /** Most frequent first. */
  values: z.array(valueCount),
  /** Number of further values. */
  more: z.int(),
})

/** The fields by which memories are counted. */
export const facetNames = ['type', 'tag', 'project', 'who', 'agent', 'safety', 'pinned'] as const

export const countMemories = endpoint({
  method: 'GET',
  path: '/api/memories/counts',
  summary: 'Count memories by type, tag, project, author, agent, safety and week',
  permission: 'recall',
  mutates: false,
  maxInFlight: 4,
  query: listFilter,
  response: z.object({
    total: z.int(),
    by: z.object(
      Object.fromEntries(facetNames.map(facet => [facet, valueCounts])) as Record<
        (typeof facetNames)[number],
        typeof valueCounts
      >,
    ),
    /** Weeks with saves by the UTC date of their Monday, oldest first; at most the newest 53. */
    weeks: z.array(z.object({ week: z.string(), types: z.record(z.string(), z.int()) })),
  }),
})
export type MemoryCountsReply = z.infer<typeof countMemories.response>

const historyEvent = z.object({
  id: z.string(),
  memoryId: z.string(),
  event: z.enum(['created', 'modified', 'deleted', 'recovered', 'none']),
  oldContent: z.string().nullable(),
  newContent: z.string().nullable(),
  changedBy: z.string(),
  actorType: z.string(),
  reason: z.string(),
  metadata: z.unknown(),
  createdAt: z.string(),
  sessionId: z.string().nullable(),
  requestId: z.string().nullable(),
})
export type HistoryEvent = z.infer<typeof historyEvent>

export const memoryHistory = endpoint({
  method: 'GET',
  path: '/api/memory/:id/history',
  summary: 'List all changes of a memory, oldest first',
  permission: 'recall',
  mutates: false,
  params: memoryParams,
  memoryIds: ['params.id'],
  query: agentQuery.extend({
    limit: clampedQueryInt({ min: 1, max: 1000 }).default(200),
    offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
  }),
  response: z.object({
    memoryId: z.string(),
    count: z.int(),
    history: z.array(historyEvent),
    /** Offset of the next page, if there is one. */
    nextOffset: z.int().optional(),
  }),
})

const lineageItem = z.object({
  id: z.string(),
  content: z.string(),
  type: z.string(),
  importance: z.number(),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  supersededBy: z.string().nullable(),
  supersededAt: z.string().nullable(),
  supersededReason: z.string().nullable(),
})
export type LineageItem = z.infer<typeof lineageItem>

export const memoryLineage = endpoint({
  method: 'GET',
  path: '/api/memory/:id/lineage',
  summary: 'List the lineage of a memory, newest first',
  permission: 'recall',
  mutates: false,
  params: memoryParams,
  memoryIds: ['params.id'],
  query: agentQuery.extend({ limit: clampedQueryInt({ min: 1, max: 500 }).default(50) }),
  response: z.object({ memoryId: z.string(), count: z.int(), lineage: z.array(lineageItem) }),
})
