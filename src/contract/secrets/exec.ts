import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, folderHeader, id } from '../ground/fields.js'
import { secretScheme } from '../ground/wire-names.js'

export const commandStatuses = ['queued', 'running', 'completed', 'failed'] as const
/** Time limit of a command in milliseconds, from its start. */
export const commandTimeout = { min: 1000, max: 1_800_000, default: 300_000 } as const
const maxVariables = 64

const variable = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const name = '[A-Za-z_][A-Za-z0-9_]{0,127}'
const part = '[^\\s/]{1,200}'
const reference = new RegExp(
  [
    `^(?:local://|env:)?${name}$`,
    `^${secretScheme.bitwarden}name/${name}$`,
    `^${secretScheme.bitwarden}item/${part}/password$`,
    `^${secretScheme.onePassword}[^/]{1,200}/[^/]{1,200}/[^/]{1,200}$`,
  ].join('|'),
)

/**
 * Environment variables and the references of their values. An invalid reference may be a value and is not
 * repeated.
 */
const secrets = z.record(z.string(), z.string().max(1000)).superRefine((map, context) => {
  const fault = (message: string): void => context.addIssue({ code: 'custom', message })
  const entries = Object.entries(map)
  if (entries.length === 0)
    fault('name at least one secret: { "VARIABLE": "NAME" }; a command without secrets needs no daemon')
  if (entries.length > maxVariables) fault(`a command takes at most ${maxVariables} secrets`)
  for (const [key, value] of entries)
    if (!variable.test(key) || key in {})
      fault('a variable name has only letters, digits and _ and starts with a letter or _, such as API_KEY')
    else if (!reference.test(value))
      fault(
        `${key} is not a reference to a secret: use a name from memory secrets list, local://NAME or env:NAME, never the value`,
      )
})

const commandFields = z.object({
  /** A command line for the system's shell. */
  command: z.string().min(1, 'the command is empty').max(100_000).regex(/\S/u, 'the command is empty'),
  timeoutMs: clampedInt(commandTimeout).default(commandTimeout.default),
  /** Absolute path of the working directory; by default the caller's folder, else the workspace. */
  cwd: z.string().min(1).max(4096).optional(),
  /** The command starts when a client reads its output, and ends when that client disconnects. */
  attached: z.boolean().default(false),
})

const queued = z.object({
  id: z.string(),
  status: z.literal('queued'),
  createdAt: z.string(),
  timeoutMs: z.int(),
  /** The folder in which it runs. */
  cwd: z.string(),
})
export type QueuedCommand = z.infer<typeof queued>

const result = z.object({
  /** Output with values masked; if too long, its beginning and end. */
  stdout: z.string(),
  stderr: z.string(),
  /** Exit code; 124 after a time-out, 128 plus its number after a signal. */
  code: z.int(),
  timedOut: z.boolean(),
  /** Bytes omitted from the middle. */
  truncated: z.object({ stdout: z.int(), stderr: z.int() }),
  durationMs: z.int(),
})
export type CommandResult = z.infer<typeof result>

const command = z.object({
  id: z.string(),
  status: z.enum(commandStatuses),
  createdAt: z.string(),
  timeoutMs: z.int(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  /** The reason of a failure. */
  error: z.string().optional(),
  /** Present once it has ended, if it ran. */
  result: result.optional(),
})
export type CommandState = z.infer<typeof command>

const jobParams = z.object({ jobId: id })
const access = {
  permission: 'admin',
  plugin: { id: 'service.secrets', capability: 'secrets:exec' },
  mutates: false,
  perDaemon: ['not_found'],
} as const

export const runCommand = endpoint({
  method: 'POST',
  path: '/api/secrets/exec',
  summary: 'Run a command with secrets in its environment; they are masked in its output',
  runsPrograms: true,
  ...access,
  headers: folderHeader,
  body: commandFields.extend({ secrets }),
  response: queued,
  success: 202,
})
export type CommandBody = z.infer<typeof runCommand.body>

export const runCommandWith = endpoint({
  method: 'POST',
  path: '/api/secrets/:name/exec',
  summary: 'Run a command with one secret, by default under its own name',
  runsPrograms: true,
  ...access,
  headers: folderHeader,
  params: z.object({ name: z.string().regex(variable, 'this is not a secret name') }),
  body: commandFields.extend({ secrets: secrets.optional() }),
  response: queued,
  success: 202,
})

export const commandStatus = endpoint({
  method: 'GET',
  path: '/api/secrets/exec/:jobId',
  summary: 'Get the state and output of a command with secrets',
  ...access,
  params: jobParams,
  response: command,
})

export const cancelCommand = endpoint({
  method: 'DELETE',
  path: '/api/secrets/exec/:jobId',
  summary: 'Stop a command with secrets and its child processes',
  ...access,
  params: jobParams,
  response: command,
})

/** One line of a command's output: data of a stream, an omission, or the command's state. */
const outputLine = z.union([
  z.object({ stream: z.enum(['stdout', 'stderr']), data: z.string() }),
  z.object({ stream: z.enum(['stdout', 'stderr']), leftOut: z.int() }),
  z.object({
    command: command.extend({ result: result.omit({ stdout: true, stderr: true }).optional() }),
  }),
])
export type OutputLine = z.infer<typeof outputLine>

export const commandOutput = endpoint({
  method: 'GET',
  path: '/api/secrets/exec/:jobId/output',
  summary: 'Stream the output of a command with secrets (JSON Lines, bytes in base64)',
  ...access,
  params: jobParams,
  response: outputLine,
  contentType: 'application/x-ndjson',
})
