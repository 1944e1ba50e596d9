import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** Maximum characters of agent.yaml, because it is read in one turn. */
const maxText = 65_536

/** A problem in the file; `line` counts from 1, and is 0 without a position. */
const problem = z.object({ line: z.int(), key: z.string(), message: z.string() })

/** One setting as a field of a form; values as JSON with masked credentials, null where there is none. */
const settingField = z.object({
  key: z.string(),
  /** The comment of the setting in the file that `memory init` writes. */
  help: z.string(),
  /** `yaml` for lists and maps. */
  kind: z.enum(['switch', 'number', 'text', 'choice', 'yaml']),
  choices: z.array(z.string()),
  minimum: z.number().nullable(),
  maximum: z.number().nullable(),
  /** The value in force. */
  value: z.string().nullable(),
  from: z.enum(['file', 'environment', 'default']),
  /** Variable of the environment that gives the value. */
  variable: z.string().nullable(),
  /** The value in the text. */
  given: z.string().nullable(),
  default: z.string().nullable(),
})
export type SettingField = z.infer<typeof settingField>

export const readSettings = endpoint({
  method: 'GET',
  path: '/api/settings',
  summary: 'Get agent.yaml with comments and masked credentials, and the active settings',
  permission: 'admin',
  mutates: false,
  response: z.object({
    file: z.string(),
    /** False without a file: every setting has its default. */
    exists: z.boolean(),
    /** Credentials, and values derived from them, are `(masked)`; sent back, the stored value is kept. */
    text: z.string(),
    /** Version of the text, required to write it back. */
    version: z.string(),
    /** Invalid values that are ignored, and unknown keys. */
    problems: z.array(problem),
    /** All effective settings with defaults, as YAML. */
    inForce: z.string(),
    fields: z.array(settingField),
  }),
})
export type SettingsText = z.infer<(typeof readSettings)['response']>

export const writeSettings = endpoint({
  method: 'POST',
  path: '/api/settings',
  summary:
    'Check or save agent.yaml; invalid files are not saved, and auth only on this machine in mode local',
  permission: 'admin',
  // Works during the kill switch, because this is how it is switched off.
  mutates: false,
  body: z.object({
    text: z.string().max(maxText, `agent.yaml has at most ${maxText} characters`),
    /** The version read before; if the file has changed since, it is not saved. */
    version: z.string().min(1).max(100),
    /** Only validates. */
    dryRun: z.boolean().default(false),
    /** Changes of the text by dotted key, parsed as YAML; an empty text removes the key. */
    values: z.record(z.string().max(255), z.string().max(maxText)).optional(),
  }),
  response: z.object({
    saved: z.boolean(),
    version: z.string(),
    /** The text with `values`, masked as above. */
    text: z.string(),
    /** The settings with this text. */
    fields: z.array(settingField),
    /** Reasons against saving; only in a dry run, since saving would fail. */
    errors: z.array(problem),
    /** Unknown keys, which are kept. */
    unknown: z.array(problem),
    /** Effective changes; values as JSON, null where a setting has none, masked as above. */
    changes: z.array(
      z.object({ key: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
    /** A change of host or port needs a restart of the daemon. */
    restartRequired: z.boolean(),
  }),
})
export type SettingsCheck = z.infer<(typeof writeSettings)['response']>
