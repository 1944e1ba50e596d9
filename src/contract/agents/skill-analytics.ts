import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { usedSkillName } from './skill-names.js'

const dayMs = 86_400_000

export const recordSkillUse = endpoint({
  method: 'POST',
  path: '/api/skills/:name/usage',
  summary: 'Record that an agent used a skill',
  permission: 'remember',
  mutates: false,
  params: z.object({ name: usedSkillName }),
  body: z.object({
    success: z.boolean(),
    latencyMs: z.number().min(0).max(dayMs).nullish(),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  }),
  response: z.object({ success: z.literal(true), name: z.string() }),
})
export type SkillUseBody = z.infer<(typeof recordSkillUse)['body']>

/** A date, or a moment in UTC. */
const utc = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/u, 'must be ISO 8601 in UTC, such as 2026-01-31T09:00:00Z')
  .pipe(timestamp)

export const skillAnalytics = endpoint({
  method: 'GET',
  path: '/api/skills/analytics',
  summary: 'How often skills were used, with which success, and how long that took',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    since: utc.optional(),
    limit: queryInt({ min: 1, max: 100 }).default(10),
  }),
  response: z.object({
    totalCalls: z.int(),
    /** From 0 to 1; 0 without any call. */
    successRate: z.number(),
    topSkills: z.array(
      z.object({
        skillName: z.string(),
        count: z.int(),
        successCount: z.int(),
        /** Of the calls that came with a latency; 0 when none did. */
        avgLatencyMs: z.number(),
      }),
    ),
    /** Milliseconds, by nearest rank over the calls that came with a latency; 0 when none did. */
    latency: z.object({ p50: z.number(), p95: z.number() }),
  }),
})
export type SkillAnalyticsQuery = z.infer<(typeof skillAnalytics)['query']>
export type SkillAnalytics = z.infer<(typeof skillAnalytics)['response']>
