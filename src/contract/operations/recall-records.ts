import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedAnyInt, name, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { linesContentType } from './transfer.js'

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
