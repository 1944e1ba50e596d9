import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { projectName, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { sessionParams } from './sessions.js'

const query = agentQuery.extend({ project: projectName.optional() })

export const listBlackBoxes = endpoint({
  method: 'GET',
  path: '/api/sessions/blackbox',
  summary: 'Sessions that have a black box, the one written to last first',
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
        /** How often it asked for memories or was shown some. */
        recallEvents: z.int(),
        artifactEvents: z.int(),
      }),
    ),
    count: z.int(),
  }),
})
export type BlackBoxQuery = z.infer<(typeof listBlackBoxes)['query']>
export type BlackBoxList = z.infer<(typeof listBlackBoxes)['response']>

/** Something that a session was given, with why. What it says, and what it is called, is looked up by its id. */
const given = z.object({
  id: z.string(),
  kind: z.enum(['memory', 'entity', 'artifact', 'summary', 'message']),
  /**
   * What chose it. Of a recall: the channels that found it, joined by `+`, `context`, `supersedes` or `graph`. Of a
   * start: `score`, `pinned`, or the `parent` or `project` whose earlier session it tells of. Of a prompt: the `name` or
   * `alias` that stands in it. A message is `unread`.
   */
  by: z.string(),
  /** That of the recall, that of the start (rules.md 4.12), or how sure the surest value of an entity is. */
  score: z.number().optional(),
  /** Of a memory at the start: its part in the score. */
  importance: z.number().optional(),
  /** Of an entity: the versions of its values that were told. */
  values: z.array(z.string()).optional(),
})
export type GivenThing = z.infer<typeof given>

/** Small figures and names; of what gave a session something, also these. Events of before have none of them. */
const payload = z.looseObject({
  /** What the context was given at. */
  surface: z.enum(['start', 'prompt']).optional(),
  /** Of what was given; four characters each. */
  tokens: z.int().optional(),
  /** Of a start: how many it could be given, the sections that it was given, and how the score weighs age. */
  maxTokens: z.int().optional(),
  sections: z.array(z.string()).optional(),
  recencyBias: z.number().optional(),
  /** Of a prompt: how sure a value has to be. */
  minScore: z.number().optional(),
  /** In the order in which the session saw it, at most 50. */
  given: z.array(given).optional(),
  /**
   * How many were not given, by the reason: `belowCutOff`, `beyondLimit`, `shownBefore`, `noRoom`, or `notSure` for
   * entities that a prompt names and of which nothing is sure enough.
   */
  leftOut: z.record(z.string(), z.int()).optional(),
  /** What a prompt names was not found in time, or not at all. */
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

/** What a session works with now. */
const frame = z.object({
  at: z.string(),
  activeRefCount: z.int(),
  /** Ids of the memories in its context, the last shown first. */
  activeRefs: z.array(z.string()),
  /** Of these the ones that were shown early in a list, often and lately, the likeliest first. */
  likelyInfluences: z.array(
    z.object({
      id: z.string(),
      score: z.number(),
      /** Its best place in a list, from 1 on. */
      rank: z.int(),
      times: z.int(),
      lastAt: z.string(),
      type: z.string(),
      /** Empty for what may no longer be shown. */
      preview: z.string(),
    }),
  ),
  /** Memories in its context that no longer hold. */
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
  summary: 'What one session asked for, was shown and wrote',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  query,
  response: z.object({
    sessionKey: z.string(),
    agentId: z.string(),
    generatedAt: z.string(),
    eventCount: z.int(),
    /** Oldest first; a session keeps its newest 500 or so. */
    events: z.array(event),
    /** Beginnings of memories and names of entities by the ids that events name, as far as the reader may be told. */
    names: z.record(z.string(), z.string()),
    frame,
  }),
})
export type BlackBoxReply = z.infer<(typeof blackBox)['response']>
export type SessionEvent = z.infer<typeof event>
