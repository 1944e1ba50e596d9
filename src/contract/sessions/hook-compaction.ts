import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { timestamp } from '../ground/fields.js'
import { hookFields, noOpFields } from './hooks.js'

/** Longest summary of a compaction, in UTF-16 units. */
const maxSummaryLength = 1_000_000

export const preCompaction = endpoint({
  method: 'POST',
  path: '/api/hooks/pre-compaction',
  summary: 'Get instructions for summarizing a session before its context is compacted',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    /** The harness's description of the session. */
    sessionContext: z.string().max(maxSummaryLength).nullish(),
    /** Messages that the compaction removes from the context. */
    messageCount: z.int().min(0).max(100_000_000).nullish(),
  }),
  response: z.object({ summaryPrompt: z.string(), guidelines: z.string(), ...noOpFields }),
})
export type PreCompactionBody = z.infer<(typeof preCompaction)['body']>
export type PreCompactionReply = z.infer<(typeof preCompaction)['response']>

const compactionReply = z.object({
  success: z.literal(true),
  /** The memory of the summary; null when nothing of it may be saved. */
  memoryId: z.string().nullable(),
  /** The new context epoch; null without a session, or when it could not begin. */
  contextEpoch: z.int().nullable(),
  /** True when recall keeps withholding what the session was shown before. */
  dedupeDegraded: z.literal(true).optional(),
  /** File of the summary, relative to the workspace. */
  path: z.string().optional(),
  ...noOpFields,
})
export type CompactionReply = z.infer<typeof compactionReply>

export const compactionComplete = endpoint({
  method: 'POST',
  path: '/api/hooks/compaction-complete',
  summary: 'Store a compaction summary and start the next context epoch of the session',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: hookFields.extend({
    summary: z
      .string({ error: issue => (issue.input === undefined ? 'summary is required' : undefined) })
      .max(maxSummaryLength)
      .refine(text => text.trim() !== '', 'summary must not be empty'),
    /** Time of the event when the call is late; a future time counts as now. */
    capturedAt: timestamp.nullish(),
  }),
  response: compactionReply,
})
export type CompactionBody = z.infer<(typeof compactionComplete)['body']>
