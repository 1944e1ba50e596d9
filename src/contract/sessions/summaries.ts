import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, id, name, projectName, queryInt } from '../ground/fields.js'
import { agentQuery, listedMemory } from '../memory/record.js'

export const nodeKinds = ['session', 'compaction'] as const

const summary = z.object({
  id: z.string(),
  kind: z.enum(nodeKinds),
  /** 0 for content from a transcript; a summary is above everything it summarizes. */
  depth: z.int(),
  source_type: z.string(),
  source_ref: z.string(),
  /** JSON text with figures about the source. */
  meta_json: z.string(),
  session_key: z.string().nullable(),
  harness: z.string().nullable(),
  project: z.string().nullable(),
  starts_at: z.string(),
  ends_at: z.string(),
})
export type SessionSummary = z.infer<typeof summary>

export const listSummaries = endpoint({
  method: 'GET',
  path: '/api/sessions/summaries',
  summary: 'List summaries, newest first',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    project: projectName.optional(),
    kind: z.enum(nodeKinds).optional(),
    sessionKey: name.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(50),
  }),
  response: z.object({ summaries: z.array(summary), count: z.int() }),
})
export type SummariesQuery = z.infer<(typeof listSummaries)['query']>

const node = summary.extend({
  /** Empty when `contentSafety` is not clean, or its memory was forgotten. */
  content: z.string(),
  contentSafety: z.string(),
})
export type SummaryNode = z.infer<typeof node>

export const expandSummary = endpoint({
  method: 'POST',
  path: '/api/sessions/summaries/expand',
  summary: 'Get a summary with its parents, children, memories and transcript',
  permission: 'recall',
  mutates: false,
  shortIds: { 'body.id': ['summary'] },
  body: z.object({
    id,
    agentId: name.nullish(),
    agent_id: name.nullish(),
    includeTranscript: z.boolean().default(false),
    transcriptCharLimit: clampedInt({ min: 1, max: 100_000 }).default(4000),
  }),
  response: z.object({
    node,
    parents: z.array(node),
    children: z.array(node),
    linkedMemories: z.array(listedMemory),
    /** Null unless requested and available. */
    transcript: z.object({ sessionKey: z.string(), excerpt: z.string() }).nullable(),
  }),
})
export type ExpandBody = z.infer<(typeof expandSummary)['body']>
export type ExpandReply = z.infer<(typeof expandSummary)['response']>

export const synthesisConfig = endpoint({
  method: 'GET',
  path: '/api/hooks/synthesis/config',
  summary: 'Get how and when MEMORY.md is written',
  permission: 'recall',
  mutates: false,
  response: z.object({
    harness: z.string(),
    model: z.string(),
    schedule: z.enum(['daily', 'weekly', 'on-demand']),
    maxTokens: z.int(),
    thresholds: z.object({
      /** Days covered by the section Session Ledger. */
      ledgerDays: z.int(),
      maxTokens: z.int(),
    }),
    /** Time of the last write; null before the first. */
    lastRunAt: z.string().nullable(),
  }),
})
export type SynthesisConfig = z.infer<(typeof synthesisConfig)['response']>

export const synthesis = endpoint({
  method: 'POST',
  path: '/api/hooks/synthesis',
  summary: 'Preview MEMORY.md for an agent',
  permission: 'recall',
  mutates: false,
  body: z.object({
    agentId: name.nullish(),
    agent_id: name.nullish(),
    sessionKey: name.nullish(),
    /** Reason of the request. */
    trigger: name.nullish(),
  }),
  response: z.object({
    harness: z.string(),
    model: z.literal('projection'),
    /** The rendered Markdown. */
    prompt: z.string(),
    memories: z.array(
      z.object({
        id: z.string(),
        content: z.string(),
        type: z.string(),
        importance: z.number(),
        pinned: z.int(),
        project: z.string().nullable(),
        created_at: z.string(),
      }),
    ),
    /** The section Temporal Index. */
    indexBlock: z.string(),
  }),
})
export type SynthesisBody = z.infer<(typeof synthesis)['body']>
export type SynthesisReply = z.infer<(typeof synthesis)['response']>

export const synthesisComplete = endpoint({
  method: 'POST',
  path: '/api/hooks/synthesis/complete',
  summary: 'Retired; returns 410 and names the replacement',
  permission: 'recall',
  mutates: false,
  response: z.object({
    status: z.literal('gone'),
    /** Version of this payload. */
    version: z.literal(1),
    retired: z.string(),
    replacement: z.object({ method: z.string(), path: z.string() }),
    changed: z.literal(false),
  }),
  outcomes: {
    gone: [410, 'this address is retired and changed nothing; the reply names its replacement'],
  },
})

export const triggerSynthesis = endpoint({
  method: 'POST',
  path: '/api/synthesis/trigger',
  summary: 'Write MEMORY.md',
  permission: 'remember',
  mutates: true,
  success: 202,
  response: z.object({ status: z.literal('queued'), jobId: z.string() }),
})
export type SynthesisGone = z.infer<(typeof synthesisComplete)['response']>
