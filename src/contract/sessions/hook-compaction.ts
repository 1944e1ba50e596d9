import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { timestamp } from '../ground/fields.js'
import { hookFields, noOpFields } from './hooks.js'

/** Longest summary of a compaction, in UTF-16 units. */
const maxSummaryLength = 1_000_000

export const preCompaction = endpoint({
  method: 'POST',
  path: '/api/hooks/pre-compaction',
  summary: 'How a harness should sum up a session before its context is compacted',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    /** What the harness says of the session. */
    sessionContext: z.string().max(maxSummaryLength).nullish(),
    /** Messages that the compaction takes out of the context. */
    messageCount: z.int().min(0).max(100_000_000).nullish(),
  }),
  response: z.object({ summaryPrompt: z.string(), guidelines: z.string(), ...noOpFields }),
})
export type PreCompactionBody = z.infer<(typeof preCompaction)['body']>
export type PreCompactionReply = z.infer<(typeof preCompaction)['response']>

const compactionReply = z.object({
  success: z.literal(true),
  /** The summary as a memory; null when nothing of it may be kept. */
  memoryId: z.string().nullable(),
  /** The context epoch that the compaction began; null when no session is named, or it could not begin. */
  contextEpoch: z.int().nullable(),
  /** True when recall goes on withholding what the session was shown before. */
  dedupeDegraded: z.literal(true).optional(),
  /** The summary as a file, below the workspace. */
  path: z.string().optional(),
  ...noOpFields,
})
export type CompactionReply = z.infer<typeof compactionReply>

export const compactionComplete = endpoint({
  method: 'POST',
  path: '/api/hooks/compaction-complete',
  summary: 'Keep the summary of a compaction and begin the next context epoch of its session',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: hookFields.extend({
    summary: z
      .string({ error: issue => (issue.input === undefined ? 'summary is required' : undefined) })
      .max(maxSummaryLength)
      .refine(text => text.trim() !== '', 'summary must not be empty'),
    /** When it happened, for a call that comes later; a time to come counts as now. */
    capturedAt: timestamp.nullish(),
  }),
  response: compactionReply,
})
export type CompactionBody = z.infer<(typeof compactionComplete)['body']>
