import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

export const listHarnesses = endpoint({
  method: 'GET',
  path: '/api/harnesses',
  summary: 'Files that harnesses read on the machine of the daemon, and which of them are there',
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
  summary: 'Run the script of the workspace that makes the files of harnesses anew',
  permission: 'admin',
  mutates: false,
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
