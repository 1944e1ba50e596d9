import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name } from '../ground/fields.js'

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
