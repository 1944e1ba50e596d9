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

const testRun = z.object({ command: z.string(), ok: z.boolean(), counts: z.string().optional() })

/** The work of a session between two prompts (sessions.md#tool-use). */
const turnWork = z.object({
  turn: z.int(),
  at: z.string(),
  /** Beginning of the prompt. */
  asked: z.string(),
  tools: z.array(z.object({ name: z.string(), uses: z.int() })),
  files: z.array(z.object({ path: z.string(), changed: z.boolean() })),
  commands: z.array(
    z.object({ command: z.string(), ok: z.boolean().optional(), output: z.string().optional() }),
  ),
  tests: z.array(testRun),
  commits: z.array(z.string()),
  /** Uses of tools that failed. */
  failed: z.int(),
})
export type StoredWork = z.infer<typeof turnWork>

export const sessionWork = endpoint({
  method: 'GET',
  path: '/api/sessions/:key/work',
  summary: 'Get files, commands, tests and commits of each turn of a session',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query: agentQuery.extend({ limit: queryInt({ min: 1, max: 500 }).default(100) }),
  response: z.object({
    turns: z.array(turnWork),
    /** Test commands whose last run in this session failed. */
    failing: z.array(testRun),
  }),
})

export const fileWork = endpoint({
  method: 'GET',
  path: '/api/sessions/work',
  summary: 'List the turns of sessions that read or changed a file, the last ones first',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    /** Absolute path. */
    file: z.string().trim().min(1).max(4096),
    limit: queryInt({ min: 1, max: 200 }).default(20),
  }),
  response: z.object({
    file: z.string(),
    turns: z.array(
      z.object({
        sessionKey: z.string(),
        agentId: z.string(),
        project: z.string().nullable(),
        turn: z.int(),
        at: z.string(),
        changed: z.boolean(),
        asked: z.string(),
      }),
    ),
  }),
})
