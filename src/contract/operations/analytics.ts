import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedQueryInt, projectName, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const reading = { permission: 'analytics', mutates: false } as const
const count = z.int()

const byStatus = z.object({ '2xx': count, '3xx': count, '4xx': count, '5xx': count })

const injected = z.object({ starts: count, prompts: count, tokens: count })
/** Since midnight of this machine, or since it was counted first where that was later; the most tokens first. */
const injectedToday = z.object({
  since: z.string(),
  byHarness: z.array(injected.extend({ harness: z.string() })),
})
/** As it is kept for the next start. */
export const keptToday = injectedToday.extend({ day: z.string() })

export const usage = endpoint({
  method: 'GET',
  path: '/api/analytics/usage',
  summary: 'How often each endpoint was asked since the daemon started',
  ...reading,
  response: z.object({
    /** When it started. */
    since: z.string(),
    requests: z.object({ total: count, byStatus }),
    /** Operations that succeeded. */
    memory: z.object({
      remembered: count,
      recalled: count,
      modified: count,
      forgotten: count,
      recovered: count,
    }),
    /** Session starts and prompts that were given something for their context, and its tokens, four characters each. */
    injected: injected.extend({
      today: injectedToday,
    }),
    /** The most asked first. */
    endpoints: z.array(
      z.object({ method: z.string(), route: z.string(), count, errors: count, averageMs: z.number() }),
    ),
  }),
})

/** Milliseconds; null before the first request of the group. */
const percentiles = z.object({
  count,
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
})
export type Percentiles = z.infer<typeof percentiles>

export const latency = endpoint({
  method: 'GET',
  path: '/api/analytics/latency',
  summary: 'How long requests took since the daemon started, by group',
  ...reading,
  response: z.object({ remember: percentiles, recall: percentiles, mutate: percentiles }),
})

const fault = z.object({
  /** The part of the daemon that it happened in. */
  stage: z.string(),
  message: z.string(),
  at: z.string(),
})
const summary = z.object({ total: count, byStage: z.record(z.string(), count) })

export const errors = endpoint({
  method: 'GET',
  path: '/api/analytics/errors',
  summary: 'What went wrong since the daemon started, newest first',
  ...reading,
  query: z.object({
    stage: z.string().min(1).max(100).optional(),
    since: timestamp.optional(),
    limit: clampedQueryInt({ min: 1, max: 500 }).default(100),
  }),
  /** `summary` counts all that fit, whatever the limit. */
  response: z.object({ errors: z.array(fault), summary }),
})

export const memorySafety = endpoint({
  method: 'GET',
  path: '/api/analytics/memory-safety',
  summary: 'How changes of memories went since the daemon started',
  ...reading,
  response: z.object({
    mutation: percentiles.extend({ errors: count }),
    recentErrors: z.array(fault),
    errorSummary: summary,
  }),
})

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
const continuitySummary = z.object({
  /** Of these scores. */
  count: z.int(),
  average: z.number().nullable(),
  /** Mean of the newer half less that of the older half; null below four. */
  trend: z.number().nullable(),
  latest: z.number().nullable(),
})

export type ContinuitySummary = z.infer<typeof continuitySummary>

export const continuity = endpoint({
  method: 'GET',
  path: '/api/analytics/continuity',
  summary: 'How much of what sessions were shown they used, newest first',
  ...reading,
  query: agentQuery.extend({
    project: projectName.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(50),
  }),
  response: z.object({ scores: z.array(score), summary: continuitySummary }),
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
