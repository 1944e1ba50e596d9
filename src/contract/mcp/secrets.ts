import { z } from 'zod'
import { commandStatuses } from '../secrets/exec.js'

export const secretListInput = z.object({})
export const secretListOutput = z.object({ secrets: z.array(z.string()) })

export const secretExecInput = z.object({
  command: z.string().min(1).describe('shell command line; use a secret as $VARIABLE'),
  secrets: z
    .record(z.string(), z.string())
    .describe('object of variable: secret, such as { "KEY": "API_KEY" }'),
  timeoutSeconds: z.number().min(1).max(1800).default(300),
})
export const secretExecOutput = z.object({
  id: z.string(),
  status: z.string(),
  timeoutMs: z.number(),
  /** The folder in which it runs. */
  cwd: z.string(),
})

export const secretExecStatusInput = z.object({
  jobId: z.string().min(1).meta({ accepts: 'id' }),
})
export const secretExecStatusOutput = z.object({
  id: z.string(),
  status: z.enum(commandStatuses),
  error: z.string().optional(),
  result: z
    .object({
      stdout: z.string(),
      stderr: z.string(),
      code: z.number(),
      timedOut: z.boolean(),
      truncated: z.object({ stdout: z.number(), stderr: z.number() }),
      durationMs: z.number(),
    })
    .optional(),
})
