import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Characters of agent.yaml that are taken: it is read in one turn. */
const maxText = 65_536

/** One line of the file that something is wrong with; `line` counts from 1, 0 where it has no place. */
const problem = z.object({ line: z.int(), key: z.string(), message: z.string() })

export const readSettings = endpoint({
  method: 'GET',
  path: '/api/settings',
  summary: 'agent.yaml with its comments, credentials in it masked, and the settings in force',
  permission: 'admin',
  mutates: false,
  response: z.object({
    file: z.string(),
    /** False where there is no file: every setting is at its default. */
    exists: z.boolean(),
    /** Values that are, or derive from, credentials are `(masked)`; sent back, that keeps what stands. */
    text: z.string(),
    /** Of the text; whoever writes it back names it. */
    version: z.string(),
    /** Why values of the file are not in force, and keys that nothing reads. */
    problems: z.array(problem),
    /** Every setting in force, defaults among them, as YAML. */
    inForce: z.string(),
  }),
})
export type SettingsText = z.infer<(typeof readSettings)['response']>

export const writeSettings = endpoint({
  method: 'POST',
  path: '/api/settings',
  summary:
    'Check a new agent.yaml, or save it; what is faulty is not saved, auth only on this machine in mode local',
  permission: 'admin',
  // It is what takes the kill switch back.
  mutates: false,
  body: z.object({
    text: z.string().max(maxText, `agent.yaml holds at most ${maxText} characters`),
    /** As it was read; when the file has changed since, nothing is saved. */
    version: z.string().min(1).max(100),
    /** Only checks. */
    dryRun: z.boolean().default(false),
  }),
  response: z.object({
    saved: z.boolean(),
    version: z.string(),
    /** Why it can't be saved: of a dry run alone, since saving it is refused. */
    errors: z.array(problem),
    /** Keys that nothing reads; they are kept. */
    unknown: z.array(problem),
    /** What would be in force, or is now; values as JSON, null where a setting has none, masked as above. */
    changes: z.array(
      z.object({ key: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
    /** A change of host or port waits for the next start of the daemon. */
    restartRequired: z.boolean(),
  }),
})
export type SettingsCheck = z.infer<(typeof writeSettings)['response']>
