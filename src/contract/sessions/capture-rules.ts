import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { projectName } from '../ground/fields.js'

const text = z.string().min(1).max(4096)

/** All that are named must fit. */
const match = z
  .strictObject({
    /** Name, key, folder or remote of a project, or `sha256:` and the hash of its key. */
    project: text.optional(),
    /** A folder with everything below, or a glob; `~` is the home folder. */
    folder: text.optional(),
    /** A glob of git branches. */
    branch: text.optional(),
    /** The harness, for example `codex`. */
    agent: text.optional(),
  })
  .refine(one => Object.values(one).some(value => value !== undefined), {
    error: 'must name a project, folder, branch or agent',
  })
export type CaptureMatch = z.infer<typeof match>

const rule = z.union([z.strictObject({ exclude: match }), z.strictObject({ include: match })])

/** The sessions that are captured (sessions.md#capture-rules). */
export const captureSettings = z.object({
  /** `off` captures only what a rule includes. */
  mode: z.enum(['on', 'off']).default('on'),
  /** `names` keeps tools, files, commands and how they ended; `full` also the ends of their output. */
  toolUse: z.enum(['off', 'names', 'full']).default('names'),
  /** The last rule that fits decides. */
  rules: z.array(rule).max(200).default([]),
})
export type CaptureSettings = z.infer<typeof captureSettings>

export const captureState = endpoint({
  method: 'GET',
  path: '/api/sessions/capture',
  keepsProject: true,
  summary: 'Tell if sessions of a project are captured, by which rule, and how many calls were left out',
  permission: 'recall',
  mutates: false,
  query: z.object({
    /** Default: the project of the folder, else that of the caller. */
    project: projectName.optional(),
    /** A folder of the daemon's machine. */
    cwd: text.optional(),
    /** Checks a rule for one harness. */
    harness: text.optional(),
  }),
  response: z.object({
    mode: captureSettings.shape.mode,
    toolUse: captureSettings.shape.toolUse,
    rules: captureSettings.shape.rules,
    /** Null when the caller is in no project. */
    project: z.object({ key: z.string(), name: z.string(), hash: z.string() }).nullable(),
    isCaptured: z.boolean(),
    /** The rule that decides, `.memory.yaml` or `mode`. */
    by: z.string(),
    /** Calls of hooks that rules left out in the last 90 days. */
    leftOut: z.int(),
  }),
})
export type CaptureQuery = z.infer<typeof captureState.query>
