import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, id } from '../ground/fields.js'
import { recallRecordFilter } from './recall-records.js'

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
