import { z } from 'zod'
import { name, projectName } from '../ground/fields.js'

/** Which of a harness's two ways of calling hooks: its plugin, or commands that it runs (rules.md 2.3). */
export const runtimePath = z.enum(['plugin', 'legacy'])
export type RuntimePath = z.infer<typeof runtimePath>

/** Fields that every hook takes (rules.md 4.10). */
export const sessionFields = {
  harness: z
    .string({ error: issue => (issue.input === undefined ? 'harness is required' : undefined) })
    .trim()
    .min(1)
    .max(255),
  sessionKey: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  runtimePath: runtimePath.nullish(),
  project: projectName.nullish(),
  /** Names the project where `project` does not. */
  cwd: z.string().min(1).max(4096).nullish(),
}
export const hookFields = z.object(sessionFields)
export type HookFields = z.infer<typeof hookFields>

/** What a hook answers that does nothing: its session is bypassed, or its caller is a program of the service. */
export const noOpFields = { bypassed: z.literal(true).optional(), internal: z.literal(true).optional() }
