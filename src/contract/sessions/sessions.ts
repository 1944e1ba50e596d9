import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, projectName, queryBoolean, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

/** A live session: it has a runtime path, or calls its hooks without one (rules.md 2.3). */
const session = z.object({
  key: z.string(),
  agentId: z.string(),
  harness: z.string(),
  project: z.string().nullable(),
  /** `plugin` or `legacy`; null, like the two times, without a claim. */
  runtimePath: z.string().nullable(),
  claimedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  bypassed: z.boolean(),
  parentKey: z.string().nullable(),
  startedAt: z.string(),
  seenAt: z.string(),
  /** Number of submitted prompts. */
  prompts: z.int(),
})
export type Session = z.infer<typeof session>

/** A live, captured or imported session of the list. */
const listedSession = session.extend({
  isLive: z.boolean(),
  /** The first prompt of the person; null without one, or if it is not safe to show. */
  title: z.string().nullable(),
  /** Messages of the stored conversation; of a fork, only those that are new in it. */
  turns: z.int(),
  /** Memories that were saved in it. */
  memories: z.int(),
  /** The session that it continues as a fork. */
  forkOf: z.string().nullable(),
})
export type ListedSession = z.infer<typeof listedSession>

/** The raw key, or `session:<key>`. */
export const sessionParams = z.object({ key: name })

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/sessions',
  summary: 'List active sessions, and past ones on request, most recent first',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    project: projectName.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(100),
    /** Also lists ended, captured and imported sessions. */
    past: queryBoolean.default(false),
  }),
  response: z.object({ sessions: z.array(listedSession), count: z.int() }),
})

export const getSession = endpoint({
  method: 'GET',
  path: '/api/sessions/:key',
  summary: 'Get an active session',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query: agentQuery,
  response: session,
})

export const bypassSession = endpoint({
  method: 'POST',
  path: '/api/sessions/:key/bypass',
  summary: 'Turn the hooks of a session off or on',
  permission: 'remember',
  // The tracker is not a memory.
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query: agentQuery,
  body: z.object({
    enabled: z.boolean({ error: 'enabled is required: true or false' }),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  }),
  response: z.object({ key: z.string(), bypassed: z.boolean() }),
})
