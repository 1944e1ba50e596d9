import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { sessionParams } from './sessions.js'

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
