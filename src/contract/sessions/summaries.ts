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
