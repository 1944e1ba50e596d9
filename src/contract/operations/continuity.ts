import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { projectName, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const reading = { permission: 'analytics', mutates: false } as const

const score = z.object({
  id: z.string(),
  session_key: z.string(),
  project: z.string().nullable(),
  harness: z.string(),
  /** 0 to 1: `memories_used` of `memories_recalled`. */
  score: z.number(),
  memories_recalled: z.int(),
  memories_used: z.int(),
  /** Memories that the session saved. */
  novel_context_count: z.int(),
  reasoning: z.string(),
  created_at: z.string(),
})

/** Null where there is nothing to be said. */
const summary = z.object({
  /** Of these scores. */
  count: z.int(),
  average: z.number().nullable(),
  /** Mean of the newer half less that of the older half; null below four. */
  trend: z.number().nullable(),
  latest: z.number().nullable(),
})
export type ContinuitySummary = z.infer<typeof summary>

export const continuity = endpoint({
  method: 'GET',
  path: '/api/analytics/continuity',
  summary: 'How much of what sessions were shown they used, newest first',
  ...reading,
  query: agentQuery.extend({
    project: projectName.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(50),
  }),
  response: z.object({ scores: z.array(score), summary }),
})

export const latestContinuity = endpoint({
  method: 'GET',
  path: '/api/analytics/continuity/latest',
  summary: 'The newest score of each project, newest first',
  ...reading,
  query: agentQuery,
  response: z.object({
    scores: z.array(z.object({ project: z.string().nullable(), score: z.number(), created_at: z.string() })),
  }),
})
