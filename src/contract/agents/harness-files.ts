import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

export const listHarnesses = endpoint({
  method: 'GET',
  path: '/api/harnesses',
  summary: "List the files that coding agents read on the daemon's machine, and which exist",
  permission: 'recall',
  mutates: false,
  response: z.object({
    harnesses: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        exists: z.boolean(),
        /** The kinds of content that the harness reads from it. */
        kinds: z.array(z.enum(['instructions', 'settings', 'hooks', 'mcp', 'plugin'])),
      }),
    ),
  }),
})
export type HarnessFiles = z.infer<(typeof listHarnesses)['response']>

export const regenerateHarnesses = endpoint({
  method: 'POST',
  path: '/api/harnesses/regenerate',
  summary: 'Run the workspace script that regenerates the files of coding agents',
  permission: 'admin',
  mutates: false,
  runsPrograms: true,
  perDaemon: ['not_found'],
  response: z.object({
    success: z.boolean(),
    message: z.string(),
    /** Output of the script, truncated to its end if long. */
    output: z.string(),
    /** The reason of a failure. */
    error: z.string().optional(),
  }),
})
export type RegenerateReply = z.infer<(typeof regenerateHarnesses)['response']>

export const listConnections = endpoint({
  method: 'GET',
  path: '/api/harnesses/connections',
  summary: "List the coding agents of the daemon's machine, and which are connected",
  permission: 'admin',
  mutates: false,
  runsPrograms: true,
  response: z.object({
    harnesses: z.array(
      z.object({
        harness: z.string(),
        title: z.string(),
        /** As `memory connect` names it, such as `installed` or `connected`. */
        state: z.string(),
        /** The folder or program by which it was found. */
        evidence: z.string(),
      }),
    ),
  }),
})
export type Connections = z.infer<(typeof listConnections)['response']>

export const connectHarness = endpoint({
  method: 'POST',
  path: '/api/harnesses/connect',
  summary: 'Connect a coding agent, or preview the changes of its files',
  permission: 'admin',
  mutates: false,
  runsPrograms: true,
  body: z.object({
    harness: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/u),
    dryRun: z.boolean().default(false),
  }),
  response: z.object({
    applied: z.boolean(),
    files: z.array(
      z.object({ path: z.string(), action: z.enum(['create', 'change', 'remove']), diff: z.string() }),
    ),
    hints: z.array(z.string()),
  }),
})
export type ConnectReply = z.infer<(typeof connectHarness)['response']>

export const importEarlierSessions = endpoint({
  method: 'POST',
  path: '/api/harnesses/sessions',
  summary: "Import the earlier sessions of the coding agents on the daemon's machine, or count them",
  permission: 'admin',
  mutates: ({ dryRun }: { dryRun: boolean }) => !dryRun,
  runsPrograms: true,
  body: z.object({ dryRun: z.boolean().default(false) }),
  response: z.object({
    imports: z.array(
      z.object({
        from: z.string(),
        /** Sessions found. */
        sessions: z.int(),
        /** Sessions imported, or that would be. */
        imported: z.int(),
        messages: z.int(),
      }),
    ),
  }),
})
export type EarlierSessionsReply = z.infer<(typeof importEarlierSessions)['response']>
