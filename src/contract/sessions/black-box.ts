import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { projectName, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { sessionParams } from './sessions.js'

const query = agentQuery.extend({ project: projectName.optional() })

export const listBlackBoxes = endpoint({
  method: 'GET',
  path: '/api/sessions/blackbox',
  summary: 'List sessions with a black box, most recent first',
  permission: 'recall',
  mutates: false,
  query: query.extend({ limit: queryInt({ min: 1, max: 500 }).default(50) }),
  response: z.object({
    agentId: z.string(),
    sessions: z.array(
      z.object({
        sessionKey: z.string(),
        agentId: z.string(),
        project: z.string().nullable(),
        lastAt: z.string(),
        /** Number of recalls and injections. */
        recallEvents: z.int(),
        artifactEvents: z.int(),
      }),
    ),
    count: z.int(),
  }),
})
export type BlackBoxQuery = z.infer<(typeof listBlackBoxes)['query']>
export type BlackBoxList = z.infer<(typeof listBlackBoxes)['response']>

/** An item shown to a session, with the reason. Its text and name are looked up by id. */
const injectedItem = z.object({
  id: z.string(),
  kind: z.enum(['memory', 'entity', 'artifact', 'summary', 'message']),
  /**
   * The reason. In a recall: the channels that found it, joined by `+`, `context`, `supersedes` or `graph`.
   * At a start: `pinned`, the type of a rule, preference, decision or issue, `score`, or for an earlier
   * session `parent` or `project`. At a prompt: the `name`
   * or `alias` it contains, or the channel that found a memory. A message is `unread`.
   */
  by: z.string(),
  /** Score in the recall or at the start (rules.md 4.12), or the confidence of an entity's best value. */
  score: z.number().optional(),
  /** For a memory at a start: the share of its importance in the score. */
  importance: z.number().optional(),
  /** For an entity: versions of the values shown. */
  values: z.array(z.string()).optional(),
})
export type InjectedItem = z.infer<typeof injectedItem>

/** Small figures and names; injections also have these fields. Older events have none of them. */
const payload = z.looseObject({
  /** The event at which context was injected. */
  surface: z.enum(['start', 'prompt']).optional(),
  /** Tokens injected, at four characters each. */
  tokens: z.int().optional(),
  /** At a start: the budget, the injected sections, and the weight of recency. */
  maxTokens: z.int().optional(),
  sections: z.array(z.string()).optional(),
  recencyBias: z.number().optional(),
  /** At a prompt: the minimum confidence of a value. */
  minScore: z.number().optional(),
  /** In the order shown, at most 50. */
  given: z.array(injectedItem).optional(),
  /**
   * Number of omitted items by reason: `belowCutOff`, `beyondLimit`, `shownBefore`, `noRoom`, or `notSure`
   * for entities in a prompt without a confident value.
   */
  leftOut: z.record(z.string(), z.int()).optional(),
  /** Entities in a prompt were looked up too late, or the look-up failed. */
  missed: z.enum(['late', 'failed']).optional(),
})

const event = z.object({
  id: z.string(),
  kind: z.enum([
    'recall.requested',
    'recall.result',
    'context.recalled',
    'artifact.written',
    'assertion.created',
  ]),
  at: z.string(),
  title: z.string(),
  detail: z.string(),
  refs: z.array(z.string()),
  payload,
})

/** The present context of a session. */
const frame = z.object({
  at: z.string(),
  activeRefCount: z.int(),
  /** Ids of the memories in its context, last shown first. */
  activeRefs: z.array(z.string()),
  /** Memories among them that were shown high in lists, often and recently, likeliest first. */
  likelyInfluences: z.array(
    z.object({
      id: z.string(),
      score: z.number(),
      /** Best position in a list, from 1. */
      rank: z.int(),
      times: z.int(),
      lastAt: z.string(),
      type: z.string(),
      /** Empty when it may no longer be shown. */
      preview: z.string(),
    }),
  ),
  /** Memories in its context that are no longer valid. */
  warnings: z.array(
    z.object({
      ref: z.string(),
      code: z.enum(['forgotten', 'superseded', 'unsafe', 'expired']),
      message: z.string(),
    }),
  ),
})
export type Frame = z.infer<typeof frame>

export const blackBox = endpoint({
  method: 'GET',
  path: '/api/sessions/:key/blackbox',
  summary: 'Get the recalls, injected memories and writes of a session',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query,
  response: z.object({
    sessionKey: z.string(),
    agentId: z.string(),
    generatedAt: z.string(),
    eventCount: z.int(),
    /** Oldest first; only about the newest 500 are kept. */
    events: z.array(event),
    /** Beginnings of memories and names of entities in events, by id, as far as the reader may see them. */
    names: z.record(z.string(), z.string()),
    frame,
  }),
})
export type BlackBoxReply = z.infer<(typeof blackBox)['response']>
export type SessionEvent = z.infer<typeof event>

/** A question of an agent with the number of its results, or a context that a session was given. */
const activityItem = z.object({
  id: z.string(),
  kind: z.enum(['asked', 'given']),
  at: z.string(),
  sessionKey: z.string(),
  /** Null for a session that calls no hooks. */
  harness: z.string().nullable(),
  project: z.string().nullable(),
  /** The beginning of the question; null for a context. */
  question: z.string().nullable(),
  /** The moment at which a context was given; null for a question. */
  surface: z.enum(['start', 'prompt']).nullable(),
  /** Rows found, or memories, entities and messages given. */
  count: z.int(),
  /** Estimated tokens of a context; 0 for a question. */
  tokens: z.int(),
})
export type ActivityItem = z.infer<typeof activityItem>

export const sessionActivity = endpoint({
  method: 'GET',
  path: '/api/sessions/activity',
  summary: 'List the latest questions of agents and contexts given to them, newest first',
  permission: 'recall',
  mutates: false,
  query: query.extend({ limit: queryInt({ min: 1, max: 100 }).default(20) }),
  response: z.object({ activity: z.array(activityItem), count: z.int() }),
})
