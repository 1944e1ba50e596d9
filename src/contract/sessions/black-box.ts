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
  payload: z.record(z.string(), z.unknown()),
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
    frame,
  }),
})
export type BlackBoxReply = z.infer<(typeof blackBox)['response']>
export type SessionEvent = z.infer<typeof event>
