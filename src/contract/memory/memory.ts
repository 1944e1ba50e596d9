import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import {
  clampedInt,
  contentSafety,
  freeText,
  id,
  importance,
  maxContentLength,
  memoryType,
  name,
  readableType,
  tags,
  timestamp,
} from '../ground/fields.js'
import { tieKinds, tieStates } from '../ground/wire-names.js'

/** Kinds of things that the workspace knows; `note` is an artifact of any source. */
export const itemKinds = ['memory', 'session', 'note', 'document', 'code', 'entity'] as const
export type ItemKind = (typeof itemKinds)[number]

export const readPolicies = ['isolated', 'shared', 'group'] as const
export type ReadPolicy = (typeof readPolicies)[number]

const provenance = {
  sourceType: name.nullish(),
  sourceId: z.string().trim().min(1).max(1000).nullish(),
  sourcePath: z.string().trim().min(1).max(4096).nullish(),
  runtimePath: z.string().trim().min(1).max(4096).nullish(),
  idempotencyKey: z.string().trim().min(1).max(1000).nullish(),
}

const metadata = z.looseObject({
  source_type: provenance.sourceType,
  source_id: provenance.sourceId,
  source_path: provenance.sourcePath,
  runtime_path: provenance.runtimePath,
  idempotency_key: provenance.idempotencyKey,
})

/** `hints` are saved as recall aids; other fields are kept as evidence only (rules.md 4.3). */
const structured = z.looseObject({
  entities: z.array(z.unknown()).max(1000).optional(),
  aspects: z.array(z.unknown()).max(1000).optional(),
  hints: z.array(z.string().trim().min(1).max(2000)).max(50).optional(),
})

/** Body of remember (rules.md 4.3). */
export const rememberBody = z.object({
  ...provenance,
  content: z
    .string({ error: issue => (issue.input === undefined ? 'content is required' : undefined) })
    .max(maxContentLength)
    .refine(text => text.trim() !== '', 'must not be empty'),
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
  expiresAt: timestamp.nullish(),
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
  /** Characters at the end that no search sees; absent for most texts (rules.md 1.1.7). */
  unsearched: z.int().optional(),
  /** `<private>` parts that were left out, and opening tags without an end; absent without any. */
  privateParts: z.object({ parts: z.int(), characters: z.int(), unclosed: z.int() }).optional(),
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
  memoryIds: ['body.supersedes'],
  body: rememberBody,
  response: rememberReply,
})

/** Restrictions within the access boundary (recall.md 1.3.3 and 1.3.4). */
const recallFilters = z.object({
  type: z.union([readableType, z.array(readableType).min(1).max(9)]).nullish(),
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
  /** Only memories saved in this session. */
  sessionId: name.nullish(),
  /** Only memories saved on this git branch (projects.md#branches). */
  branch: name.nullish(),
})
export type RecallFilters = z.infer<typeof recallFilters>

/** Times of a memory that a query may refer to (mcp.md 4.9). */
export const timeFacets = ['captured', 'session', 'source', 'observed', 'occurred', 'valid'] as const

const time = z
  .object({
    start: timestamp.nullish(),
    end: timestamp.nullish(),
    /** A row matches when one of these times is in the range; by default all are checked. */
    facets: z.array(z.enum(timeFacets)).min(1).max(6).nullish(),
    /**
     * filter: only rows in the range; timeline: these in chronological order; auto: these if there are any.
     */
    mode: z.enum(['auto', 'timeline', 'filter']).default('auto'),
  })
  .refine(({ start, end }) => !start || !end || start <= end, {
    path: ['end'],
    error: 'must not be before start',
  })
export type RecallTime = z.infer<typeof time>

export const summaryBudgets = ['small', 'medium', 'large'] as const

/** Body of recall (recall.md 4.9). */
export const recallBody = recallFilters.extend({
  query: z
    .string({ error: issue => (issue.input === undefined ? 'query is required' : undefined) })
    .max(100_000)
    .refine(text => text.trim() !== '', 'must not be empty'),
  keywordQuery: z.string().max(100_000).nullish(),
  limit: clampedInt({ min: 1, max: 100 }).default(10),
  time: time.nullish(),
  score_min: z.number().min(0).max(1).nullish(),
  explain: z.boolean().default(false),
  /** Session that receives the rows; memories shown to it are withheld until its context epoch advances. */
  sessionKey: name.nullish(),
  /** Includes the withheld rows, marked `recalled`. */
  includeRecalled: z.boolean().nullish(),
  /** Adds a summary of the results as a supplementary row. */
  aggregate: z.boolean().nullish(),
  aggregateBudget: z.enum(summaryBudgets).nullish(),
  /** Saves that summary as a memory; needs `aggregate` and the permission remember. */
  saveAggregate: z.boolean().nullish(),
})
export type RecallBody = z.infer<typeof recallBody>

/** Recall channels by the names used in `explain` (recall.md 1.3.5). */
export const recallChannels = ['keyword', 'hints', 'vector', 'claims', 'traversal'] as const
export type RecallChannel = (typeof recallChannels)[number]

/** Body of the one route that allows trials; hooks and searches never do. */
const recallTrialBody = recallBody
  .extend({
    /**
     * Returns the recall's results without side effects: nothing is counted or recorded (recall.md#trials).
     */
    trial: z.boolean().default(false),
    /** Also counts sessions, notes, documents, code and entities (recall.md#elsewhere). */
    elsewhere: z.boolean().default(false),
    /** For a trial: uses only these channels, whatever the settings. */
    channels: z.array(z.enum(recallChannels)).min(1).max(recallChannels.length).nullish(),
  })
  .refine(({ trial, channels }) => trial || !channels, {
    path: ['channels'],
    error:
      'can only be set for a trial: add trial: true, or set recall.claims and recall.traversal in agent.yaml',
  })
export type RecallTrialBody = z.infer<typeof recallTrialBody>
/** Parameters of a search, with those of the one route that allows trials. */
export type SearchParameters = RecallBody & Partial<Pick<RecallTrialBody, 'channels' | 'elsewhere'>>

/**
 * Returns whether a recall writes, so that the kill switch and the permission remember apply (recall.md 4.9).
 */
export function savesSummary({ aggregate, saveAggregate }: RecallBody): boolean {
  return aggregate === true && saveAggregate === true
}

/** Explains a score: the sum of additions times the factors is `evidence`; `formula` derives the score. */
const explanation = z.object({
  score: z.number(),
  evidence: z.number(),
  contributions: z.array(
    z.object({ step: z.string(), effect: z.enum(['add', 'multiply']), value: z.number() }),
  ),
  formula: z.string(),
})

export const recallRow = z.object({
  id: z.string(),
  content: z.string(),
  /** The text with its lines, if it has several (rules.md 1.1.6). */
  verbatim: z.string().optional(),
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
  /** Position of a chunk in its document (documents.md#finding). */
  document: z
    .object({
      id: z.string(),
      title: z.string().nullable(),
      heading: z.string().nullable(),
      page: z.string().nullable(),
    })
    .optional(),
  /** Set for passages of a source's artifact (sources.md#finding). */
  artifact: z
    .object({
      id: z.string(),
      kind: z.string(),
      title: z.string().nullable(),
      heading: z.string().nullable(),
      page: z.string().nullable(),
      url: z.string().nullable(),
    })
    .optional(),
  /** Code of the project that the memory mentions, with the state since the tie (code-index.md 11). */
  code: z
    .array(
      z.object({
        kind: z.enum(tieKinds),
        /** As written in the memory. */
        target: z.string(),
        path: z.string().nullable(),
        line: z.int().nullable(),
        state: z.enum(tieStates),
      }),
    )
    .optional(),
  /** Set for entity cards: each value with its sources (recall.md#entity-cards). */
  entity: z
    .object({
      id: z.string(),
      name: z.string(),
      type: z.string(),
      values: z.array(
        z.object({
          /** Id of the version. */
          id: z.string(),
          aspect: z.string(),
          group: z.string(),
          claim: z.string(),
          value: z.string(),
          confidence: z.number(),
          project: z.string().nullable(),
          sources: z.array(z.object({ kind: z.string(), id: z.string() })),
        }),
      ),
    })
    .optional(),
  superseded_by: z.string().nullable(),
  /** `expired` is past its validUntil, `upcoming` before its validFrom (recall.md 1.3.9). */
  currentness: z.enum(['current', 'superseded', 'expired', 'upcoming']),
  /**
   * Outside the ranking: the successor of a ranked row, a saved summary, an entity card, a passage of an
   * artifact, or the summary of this recall (recall.md 1.3.10).
   */
  supplementary: z.boolean().optional(),
  /** The session was already shown it in this context epoch. */
  recalled: z.boolean().optional(),
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
    /** Probability that the best row answers the query, 0 to 1, including rows below the cut-off. */
    confidence: z.number().min(0).max(1),
    timings: z.record(z.string(), z.number()),
    vectorCompleteness: z.enum(['complete', 'recent-window', 'none']),
    searchedWindow: z.int(),
    /** True while the index is being built: older memories may be missing. */
    rebuilding: z.boolean().optional(),
    /** True when nothing matched `time` and its mode allowed other rows. */
    timeRelaxed: z.boolean().optional(),
    /** Reason why the vector channel was not used. */
    embedding: z.string().optional(),
    /** The channels used; present with `explain`. */
    channels: z.array(z.enum(recallChannels)).optional(),
    /** Optional steps that failed and were skipped (recall.md 1.3.9). */
    skipped: z.array(z.string()).optional(),
    /** Number of rows withheld; present with a sessionKey (recall.md 4.9). */
    withheld: z.int().optional(),
    /** Counts by kind of what a search over all kinds finds beyond the results; present on request. */
    elsewhere: z.partialRecord(z.enum(itemKinds), z.int()).optional(),
    contextEpoch: z.int().optional(),
    /** The summary: ids of the memories it is based on, and the id of the saved memory. */
    aggregate: z
      .object({
        budget: z.enum(summaryBudgets),
        characters: z.int(),
        memories: z.array(z.string()),
        /** Written by a language model (inference.md#uses). */
        byModel: z.boolean().optional(),
        savedAs: z.string().optional(),
      })
      .optional(),
  }),
  message: z.string(),
})
export type RecallReply = z.infer<typeof recallReply>

export const recall = endpoint({
  method: 'POST',
  path: '/api/memory/recall',
  summary: 'Search memories with keyword and semantic search',
  permission: 'recall',
  // A trial needs only the permission to read others' queries.
  permissionFor: ({ body }: { body: RecallTrialBody }) =>
    body.trial ? 'analytics' : savesSummary(body) ? 'remember' : undefined,
  mutates: savesSummary,
  metric: 'recall',
  isTrial: ({ body }: { body: RecallTrialBody }) => body.trial,
  body: recallTrialBody,
  response: recallReply,
})
