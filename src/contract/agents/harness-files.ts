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
