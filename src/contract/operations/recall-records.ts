import { z } from 'zod'
import { endpoint, linesContentType } from '../ground/endpoint.js'
import { clampedAnyInt, clampedInt, id, name, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const reading = { permission: 'analytics', mutates: false } as const

/** Filters of recorded recalls. */
export const recallRecordFilter = agentQuery.extend({
  session_key: name.optional(),
  /** The path of the request, such as `/api/memory/recall`. */
  route: z.string().min(1).max(200).optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
  no_hits: queryBoolean.optional(),
})

const recallRecord = z.object({
  id: z.string(),
  created_at: z.string(),
  route: z.string(),
  agent_id: z.string(),
  session_key: z.string().nullable(),
  /** The query without private spans, truncated if long. */
  query: z.string(),
  /** Other parameters: limit, filters, time. */
  filters: z.record(z.string(), z.unknown()),
  result_count: z.int(),
  top_score: z.number().nullable(),
  no_hits: z.boolean(),
  duration_ms: z.number(),
  results: z.array(
    z.object({
      /** From 1. */
      rank: z.int(),
      id: z.string(),
      score: z.number(),
      source: z.string(),
      /** Beginning of the text; null once it was forgotten, and for texts generated per recall. */
      content: z.string().nullable(),
    }),
  ),
})
export type RecallRecord = z.infer<typeof recallRecord>

export const listRecallRecords = endpoint({
  method: 'GET',
  path: '/api/telemetry/memory-search',
  summary: 'List recorded recalls with their queries, newest first',
  ...reading,
  query: recallRecordFilter.extend({
    limit: queryInt({ min: 1, max: 500 }).default(100),
    offset: queryInt({ min: 0, max: 100_000 }).default(0),
  }),
  response: z.object({
    items: z.array(recallRecord),
    count: z.int(),
    /** True when recalls are recorded now. */
    enabled: z.boolean(),
  }),
})
export type RecallRecordQuery = z.infer<(typeof listRecallRecords)['query']>

export const exportRecallRecords = endpoint({
  method: 'GET',
  path: '/api/telemetry/memory-search/export',
  summary: 'Export recorded recalls as JSON Lines, newest first',
  ...reading,
  query: recallRecordFilter.extend({
    limit: clampedAnyInt({ min: 1, max: 10_000 }).default(10_000),
    offset: queryInt({ min: 0, max: 100_000 }).default(0),
  }),
  response: recallRecord,
  contentType: linesContentType,
})

export const dropRecallRecords = endpoint({
  method: 'DELETE',
  path: '/api/telemetry/memory-search',
  summary: 'Delete recorded recalls permanently',
  permission: 'analytics',
  permissionFor: () => 'forget',
  // The deleted records are not memories.
  mutates: false,
  query: recallRecordFilter,
  response: z.object({ deleted: z.int() }),
})

/** A row in only one of the two results. */
const oneSided = z.object({
  id: z.string(),
  rank: z.int(),
  content: z.string().nullable(),
  /** `changed`: it was saved, forgotten or removed since; `ranked`: it existed both times. */
  why: z.enum(['changed', 'ranked']),
})

const replayed = z.object({
  id: z.string(),
  created_at: z.string(),
  route: z.string(),
  agent_id: z.string(),
  query: z.string(),
  /** `skipped`: the request was not recorded completely. */
  status: z.enum(['same', 'changed', 'skipped']),
  /** Number of rows then and now. */
  before: z.int(),
  after: z.int(),
  top_score: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  found: z.array(oneSided),
  lost: z.array(oneSided),
  moved: z.array(z.object({ id: z.string(), from: z.int(), to: z.int(), content: z.string() })),
})
export type ReplayResult = z.infer<typeof replayed>

const summary = z.object({
  queries: z.int(),
  same: z.int(),
  changed: z.int(),
  skipped: z.int(),
  found: z.int(),
  lost: z.int(),
  moved: z.int(),
  /** Queries without results. */
  no_hits: z.object({ before: z.int(), after: z.int() }),
})
export type ReplaySummary = z.infer<typeof summary>

const filters = recallRecordFilter.omit({ no_hits: true })

export const replayRecalls = endpoint({
  method: 'POST',
  path: '/api/telemetry/memory-search/replay',
  summary: 'Replay recorded recalls with the current settings and compare the results',
  permission: 'analytics',
  permissionFor: () => 'recall',
  mutates: false,
  // Each request costs as much as up to 50 recalls.
  maxInFlight: 2,
  body: filters.extend({
    no_hits: z.boolean().optional(),
    /** Only these records, such as a saved set. */
    ids: z.array(id).min(1).max(500).optional(),
    limit: clampedInt({ min: 1, max: 50 }).default(20),
    /** `next` of the last reply, to continue from there. */
    after: z.object({ created_at: z.string().max(40), id }).optional(),
  }),
  /** `summary` covers these results only; `total` counts all matches. */
  response: z.object({
    results: z.array(replayed),
    summary,
    total: z.int(),
    next: z.object({ created_at: z.string(), id: z.string() }).nullable(),
  }),
})
export type ReplayBody = z.infer<(typeof replayRecalls)['body']>
export type ReplayReply = z.infer<(typeof replayRecalls)['response']>
