import { z } from 'zod'
import { endpoint } from './endpoint.js'
import {
  clampedInt,
  clampedQueryInt,
  contentSafety,
  freeText,
  id,
  importance,
  maxContentLength,
  memoryType,
  name,
  queryBoolean,
  queryInt,
  reason,
  tags,
  timestamp,
  version,
} from './fields.js'

export const readPolicies = ['isolated', 'shared', 'group'] as const
export type ReadPolicy = (typeof readPolicies)[number]

const provenance = z.object({
  sourceType: name.nullish(),
  sourceId: z.string().trim().min(1).max(1000).nullish(),
  sourcePath: z.string().trim().min(1).max(4096).nullish(),
  runtimePath: z.string().trim().min(1).max(4096).nullish(),
  idempotencyKey: z.string().trim().min(1).max(1000).nullish(),
})

const metadata = z.looseObject({
  source_type: provenance.shape.sourceType,
  source_id: provenance.shape.sourceId,
  source_path: provenance.shape.sourcePath,
  runtime_path: provenance.shape.runtimePath,
  idempotency_key: provenance.shape.idempotencyKey,
})

/** `hints` are written as recall aids; the rest is kept as evidence only (spec 1, 4.3). */
const structured = z.looseObject({
  entities: z.array(z.unknown()).max(1000).optional(),
  aspects: z.array(z.unknown()).max(1000).optional(),
  hints: z.array(z.string().trim().min(1).max(2000)).max(50).optional(),
})

/** Body of remember (spec 1, 4.3). */
export const rememberBody = provenance.extend({
  content: z
    .string({ error: issue => (issue.input === undefined ? 'content is required' : undefined) })
    .max(maxContentLength)
    .refine(text => text.trim() !== '', 'content must not be empty'),
  type: memoryType.nullish(),
  who: name.nullish(),
  project: z.string().trim().min(1).max(4096).nullish(),
  scope: name.nullish(),
  sessionId: name.nullish(),
  importance: importance.nullish(),
  tags: tags.nullish(),
  pinned: z.boolean().nullish(),
  createdAt: timestamp.nullish(),
  occurredAt: timestamp.nullish(),
  observedAt: timestamp.nullish(),
  sourceCreatedAt: timestamp.nullish(),
  validFrom: timestamp.nullish(),
  validUntil: timestamp.nullish(),
  reviewAfter: timestamp.nullish(),
  supersedes: id.nullish(),
  reason: freeText.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  visibility: z.enum(['global', 'private']).nullish(),
  structured: structured.nullish(),
  metadata: metadata.nullish(),
})
export type RememberBody = z.infer<typeof rememberBody>

const rememberReply = z.object({
  id: z.string(),
  type: z.string(),
  tags: z.string(),
  pinned: z.boolean(),
  importance: z.number(),
  content: z.string(),
  embedded: z.boolean(),
  entities_linked: z.literal(0),
  hints_written: z.int(),
  structured: z.boolean(),
  structured_applied: z.literal(false),
  deduped: z.boolean(),
  contentSafety,
})
export type RememberReply = z.infer<typeof rememberReply>

export const remember = endpoint({
  method: 'POST',
  path: '/api/memory/remember',
  aliases: ['/api/memory/save', '/api/hook/remember'],
  summary: 'Save a memory',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: rememberBody,
  response: rememberReply,
})

/** Restrictions inside the visibility boundary (spec 1, 1.3.3 and 1.3.4). */
const recallFilters = z.object({
  type: z.union([memoryType, z.array(memoryType).min(1).max(8)]).nullish(),
  tags: tags.nullish(),
  who: name.nullish(),
  pinned: z.boolean().nullish(),
  importance_min: importance.nullish(),
  since: timestamp.nullish(),
  until: timestamp.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  readPolicy: z.enum(readPolicies).nullish(),
  policyGroup: name.nullish(),
  project: z.string().trim().min(1).max(4096).nullish(),
  scope: name.nullish(),
})
export type RecallFilters = z.infer<typeof recallFilters>

/** Body of recall (spec 1, 4.9). */
export const recallBody = recallFilters.extend({
  query: z
    .string({ error: issue => (issue.input === undefined ? 'query is required' : undefined) })
    .max(100_000)
    .refine(text => text.trim() !== '', 'query must not be empty'),
  keywordQuery: z.string().max(100_000).nullish(),
  limit: clampedInt({ min: 1, max: 100 }).default(10),
  score_min: z.number().min(0).max(1).nullish(),
  explain: z.boolean().default(false),
})
export type RecallBody = z.infer<typeof recallBody>

/** Why a row scored what it did: additions summed, times the factors, give `evidence`; `formula` makes the score of it. */
const explanation = z.object({
  score: z.number(),
  evidence: z.number(),
  contributions: z.array(
    z.object({ step: z.string(), effect: z.enum(['add', 'multiply']), value: z.number() }),
  ),
  formula: z.string(),
})

const recallRow = z.object({
  id: z.string(),
  content: z.string(),
  type: z.string(),
  tags: z.string(),
  who: z.string().nullable(),
  project: z.string().nullable(),
  scope: z.string().nullable(),
  importance: z.number(),
  pinned: z.int(),
  score: z.number(),
  source: z.string(),
  created_at: z.string(),
  session_id: z.string().nullable(),
  source_type: z.string().nullable(),
  source_id: z.string().nullable(),
  source_path: z.string().nullable(),
  superseded_by: z.string().nullable(),
  supplementary: z.boolean().optional(),
  explain: explanation.optional(),
})
export type RecallRow = z.infer<typeof recallRow>

const recallReply = z.object({
  results: z.array(recallRow),
  count: z.int(),
  query: z.string(),
  method: z.enum(['hybrid', 'keyword', 'vector', 'none']),
  meta: z.object({
    totalReturned: z.int(),
    hasSupplementary: z.boolean(),
    noHits: z.boolean(),
    timings: z.record(z.string(), z.number()),
    vectorCompleteness: z.enum(['complete', 'recent-window', 'none']),
    searchedWindow: z.int(),
    /** Why the vector channel did not take part, when it did not. */
    embedding: z.string().optional(),
    /** Optional steps that failed and were skipped (spec 1, 1.3.9). */
    skipped: z.array(z.string()).optional(),
  }),
  message: z.string(),
})
export type RecallReply = z.infer<typeof recallReply>

export const recall = endpoint({
  method: 'POST',
  path: '/api/memory/recall',
  summary: 'Search memories by meaning and by words',
  permission: 'recall',
  mutates: false,
  metric: 'recall',
  body: recallBody,
  response: recallReply,
})

const memoryRecord = z.object({
  id: z.string(),
  content: z.string(),
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
  structured: z.unknown(),
  hints: z.array(z.string()),
  contentSafety,
})
export type MemoryRecord = z.infer<typeof memoryRecord>

const agentQuery = z.object({ agentId: name.optional(), agent_id: name.optional() })
const memoryParams = z.object({ id })

export const getMemory = endpoint({
  method: 'GET',
  path: '/api/memory/:id',
  summary: 'Read one memory',
  permission: 'recall',
  mutates: false,
  params: memoryParams,
  query: agentQuery,
  response: memoryRecord,
})

export const listMemories = endpoint({
  method: 'GET',
  path: '/api/memories',
  summary: 'List memories, newest first',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    limit: queryInt({ min: 1, max: 1000 }).default(100),
    offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
  }),
  response: z.object({
    memories: z.array(
      memoryRecord.pick({
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
      }),
    ),
    stats: z.object({ total: z.int(), withEmbeddings: z.int(), critical: z.int() }),
  }),
})

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
  summary: 'Every change of one memory, oldest first',
  permission: 'recall',
  mutates: false,
  params: memoryParams,
  query: agentQuery.extend({ limit: clampedQueryInt({ min: 1, max: 1000 }).default(200) }),
  response: z.object({ memoryId: z.string(), count: z.int(), history: z.array(historyEvent) }),
})

const changeReply = z.object({
  id: z.string(),
  status: z.string(),
  currentVersion: z.int().optional(),
  newVersion: z.int().optional(),
})

export const recoverMemory = endpoint({
  method: 'POST',
  path: '/api/memory/:id/recover',
  summary: 'Bring a forgotten memory back within 30 days',
  permission: 'recover',
  mutates: true,
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery,
  body: z.object({ reason, if_version: version.nullish() }),
  response: changeReply.extend({ retentionDays: z.int() }),
  outcomes: {
    recovered: 200,
    not_found: 404,
    not_deleted: 409,
    retention_expired: 409,
    version_conflict: 409,
    duplicate_content_hash: 409,
  },
})

export const deleteMemory = endpoint({
  method: 'DELETE',
  path: '/api/memory/:id',
  summary: 'Forget one memory (recoverable for 30 days)',
  permission: 'forget',
  mutates: true,
  bucket: 'forget',
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery.extend({
    reason: reason.optional(),
    force: queryBoolean.optional(),
    if_version: queryInt({ min: 1, max: 2_147_483_647 }).optional(),
  }),
  body: z
    .object({ reason: reason.nullish(), force: z.boolean().nullish(), if_version: version.nullish() })
    .nullish(),
  response: changeReply,
  outcomes: {
    deleted: 200,
    not_found: 404,
    already_deleted: 409,
    version_conflict: 409,
    pinned_requires_force: 409,
    autonomous_force_denied: 403,
  },
})

const forgetFilters = z.object({
  type: memoryType.nullish(),
  tags: tags.nullish(),
  who: name.nullish(),
  source_type: name.nullish(),
  since: timestamp.nullish(),
  until: timestamp.nullish(),
})

/** Body of forget (spec 1, 4.8). */
export const forgetBody = forgetFilters.extend({
  query: z.string().trim().min(1).max(100_000).nullish(),
  ids: z.array(id).min(1).max(10_000).nullish(),
  mode: z.enum(['preview', 'execute'], { error: 'must be preview or execute' }),
  limit: clampedInt({ min: 1, max: 200 }).nullish(),
  project: z.string().trim().min(1).max(4096).nullish(),
  scope: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  reason: reason.nullish(),
  force: z.boolean().default(false),
  confirm_token: z.string().max(500).nullish(),
  if_version: z.unknown().optional(),
})
export type ForgetBody = z.infer<typeof forgetBody>

const forgetCandidate = z.object({
  id: z.string(),
  score: z.number(),
  pinned: z.int(),
  version: z.int(),
  content: z.string(),
  type: z.string(),
  tags: z.string(),
  created_at: z.string(),
})

const forgetReply = z.union([
  z.object({
    mode: z.literal('preview'),
    count: z.int(),
    requiresConfirm: z.boolean(),
    confirmToken: z.string(),
    candidates: z.array(forgetCandidate),
  }),
  z.object({
    mode: z.literal('execute'),
    requested: z.int(),
    deleted: z.int(),
    results: z.array(changeReply),
  }),
])
export type ForgetReply = z.infer<typeof forgetReply>

export const forget = endpoint({
  method: 'POST',
  path: '/api/memory/forget',
  summary: 'Preview or forget several memories',
  permission: 'forget',
  mutates: (body: ForgetBody) => body.mode === 'execute',
  bucket: 'batchForget',
  metric: 'mutate',
  body: forgetBody,
  response: forgetReply,
})
