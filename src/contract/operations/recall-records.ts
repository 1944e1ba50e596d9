import { z } from 'zod'
import { endpoint, linesContentType } from '../ground/endpoint.js'
import { clampedAnyInt, clampedInt, id, name, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const reading = { permission: 'analytics', mutates: false } as const

/** Which recorded recalls are meant. */
export const recallRecordFilter = agentQuery.extend({
  session_key: name.optional(),
  /** The path that was asked, `/api/memory/recall` for example. */
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
  /** Without private spans; the beginning of a long one. */
  query: z.string(),
  /** What else was asked: limit, filters, time. */
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
      /** The beginning of what was given; null once that was forgotten, and of what each recall makes anew. */
      content: z.string().nullable(),
    }),
  ),
})
export type RecallRecord = z.infer<typeof recallRecord>

export const listRecallRecords = endpoint({
  method: 'GET',
  path: '/api/telemetry/memory-search',
  summary: 'Recalls that were recorded on this machine, with their words, newest first',
  ...reading,
  query: recallRecordFilter.extend({
    limit: queryInt({ min: 1, max: 500 }).default(100),
    offset: queryInt({ min: 0, max: 100_000 }).default(0),
  }),
  response: z.object({
    items: z.array(recallRecord),
    count: z.int(),
    /** Whether recalls are recorded now. */
    enabled: z.boolean(),
  }),
})
export type RecallRecordQuery = z.infer<(typeof listRecallRecords)['query']>

export const exportRecallRecords = endpoint({
  method: 'GET',
  path: '/api/telemetry/memory-search/export',
  summary: 'Recorded recalls as JSON Lines, newest first',
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
  summary: 'Delete recorded recalls for good',
  permission: 'analytics',
  permissionFor: () => 'forget',
  // What is taken away is no memory.
  mutates: false,
  query: recallRecordFilter,
  response: z.object({ deleted: z.int() }),
})

/** A row that only one of both answers has. */
const oneSided = z.object({
  id: z.string(),
  rank: z.int(),
  content: z.string().nullable(),
  /** `changed`: it was saved, forgotten or left its source since then; `ranked`: it was there both times. */
  why: z.enum(['changed', 'ranked']),
})

const replayed = z.object({
  id: z.string(),
  created_at: z.string(),
  route: z.string(),
  agent_id: z.string(),
  query: z.string(),
  /** `skipped`: not everything that was asked is kept. */
  status: z.enum(['same', 'changed', 'skipped']),
  /** Rows then and now. */
  before: z.int(),
  after: z.int(),
  top_score: z.object({ before: z.number().nullable(), after: z.number().nullable() }),
  found: z.array(oneSided),
  lost: z.array(oneSided),
  moved: z.array(z.object({ id: z.string(), from: z.int(), to: z.int(), content: z.string() })),
})
export type Replayed = z.infer<typeof replayed>

const summary = z.object({
  queries: z.int(),
  same: z.int(),
  changed: z.int(),
  skipped: z.int(),
  found: z.int(),
  lost: z.int(),
  moved: z.int(),
  /** Queries that found nothing. */
  no_hits: z.object({ before: z.int(), after: z.int() }),
})
export type ReplaySummary = z.infer<typeof summary>

const filters = recallRecordFilter.omit({ no_hits: true })

export const replayRecalls = endpoint({
  method: 'POST',
  path: '/api/telemetry/memory-search/replay',
  summary: 'Ask recorded recalls again under the settings of now: what is found, lost and moved',
  permission: 'analytics',
  permissionFor: () => 'recall',
  mutates: false,
  // Each is as much work as up to 50 recalls.
  maxInFlight: 2,
  body: filters.extend({
    no_hits: z.boolean().optional(),
    /** These records alone: a set that somebody saved. */
    ids: z.array(id).min(1).max(500).optional(),
    limit: clampedInt({ min: 1, max: 50 }).default(20),
    /** `next` of the last reply: goes on behind it. */
    after: z.object({ created_at: z.string().max(40), id }).optional(),
  }),
  /** `summary` is of these results alone; `total` of all that fit. */
  response: z.object({
    results: z.array(replayed),
    summary,
    total: z.int(),
    next: z.object({ created_at: z.string(), id: z.string() }).nullable(),
  }),
})
export type ReplayBody = z.infer<(typeof replayRecalls)['body']>
export type ReplayReply = z.infer<(typeof replayRecalls)['response']>
