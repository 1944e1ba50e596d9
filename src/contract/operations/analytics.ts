import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedQueryInt, projectName, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const reading = { permission: 'analytics', mutates: false } as const
const count = z.int()

const byStatus = z.object({ '2xx': count, '3xx': count, '4xx': count, '5xx': count })

const injected = z.object({ starts: count, prompts: count, tokens: count })
/** Since midnight local time, or since counting began if later; most tokens first. */
const injectedToday = z.object({
  since: z.string(),
  byHarness: z.array(injected.extend({ harness: z.string() })),
})

const day = z.object({
  /** The local date of the daemon's machine: `2026-11-29`. */
  day: z.string(),
  /** Memories saved. */
  saved: count,
  recalls: count,
  /** Recalls with at least one result. */
  found: count,
  /** Milliseconds that all recalls took together. */
  recallMs: z.number(),
  /** Session starts and prompts with injected context, and its tokens. */
  ...injected.shape,
  /** Calls of hooks that rules of capture left out. */
  leftOut: count,
})
export type Day = z.infer<typeof day>

/** The form saved for the next start; an older one has no days. */
export const storedInjections = injectedToday.extend({ day: z.string(), days: z.array(day).optional() })

export const days = endpoint({
  method: 'GET',
  path: '/api/analytics/days',
  summary: 'Get saves, recalls and injected tokens of the last days, oldest first',
  ...reading,
  query: z.object({ days: clampedQueryInt({ min: 1, max: 90 }).default(14) }),
  response: z.object({ days: z.array(day) }),
})

export const usage = endpoint({
  method: 'GET',
  path: '/api/analytics/usage',
  summary: 'Get request counts per endpoint since the daemon started',
  ...reading,
  response: z.object({
    /** Start of the daemon. */
    since: z.string(),
    requests: z.object({ total: count, byStatus }),
    /** Successful operations. */
    memory: z.object({
      remembered: count,
      recalled: count,
      modified: count,
      forgotten: count,
      recovered: count,
    }),
    /** Session starts and prompts with injected context, and its tokens at four characters each. */
    injected: injected.extend({
      today: injectedToday,
    }),
    /** Most frequent first. */
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
  summary: 'Get request latencies by group since the daemon started',
  ...reading,
  response: z.object({ remember: percentiles, recall: percentiles, mutate: percentiles }),
})

const fault = z.object({
  /** The part of the daemon that failed. */
  stage: z.string(),
  message: z.string(),
  at: z.string(),
})
const summary = z.object({ total: count, byStage: z.record(z.string(), count) })

export const errors = endpoint({
  method: 'GET',
  path: '/api/analytics/errors',
  summary: 'List errors since the daemon started, newest first',
  ...reading,
  query: z.object({
    stage: z.string().min(1).max(100).optional(),
    since: timestamp.optional(),
    limit: clampedQueryInt({ min: 1, max: 500 }).default(100),
  }),
  /** `summary` counts all matches, regardless of the limit. */
  response: z.object({ errors: z.array(fault), summary }),
})

export const memorySafety = endpoint({
  method: 'GET',
  path: '/api/analytics/memory-safety',
  summary: 'Get the outcomes of memory changes since the daemon started',
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
  /** 0 to 1: `memories_used` divided by `memories_recalled`. */
  score: z.number(),
  memories_recalled: z.int(),
  memories_used: z.int(),
  /** Memories saved by the session. */
  novel_context_count: z.int(),
  reasoning: z.string(),
  created_at: z.string(),
})

/** Null without scores. */
const continuitySummary = z.object({
  /** Number of scores. */
  count: z.int(),
  average: z.number().nullable(),
  /** Mean of the newer half minus that of the older half; null below four scores. */
  trend: z.number().nullable(),
  latest: z.number().nullable(),
})

export type ContinuitySummary = z.infer<typeof continuitySummary>

export const continuity = endpoint({
  method: 'GET',
  path: '/api/analytics/continuity',
  summary: 'List how much of the injected memories each session used, newest first',
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
  summary: 'List the newest continuity score of each project, newest first',
  ...reading,
  query: agentQuery,
  response: z.object({
    scores: z.array(z.object({ project: z.string().nullable(), score: z.number(), created_at: z.string() })),
  }),
})
