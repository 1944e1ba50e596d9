import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { locate } from '../../../client/daemon/locate.js'
import type { Request } from '../../../contract/api.js'
import { harnessOf, programNames } from './harness-program.js'

/** The task that a command is about. */
export const taskArg = {
  task: Args.string({ description: 'Id or name of the task.', required: true, ignoreStdin: true }),
}

/** What a task is made of. */
export const taskFlags = {
  cron: Flags.string({
    char: 'c',
    summary: 'When: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5".',
    helpValue: 'EXPRESSION',
  }),
  harness: Flags.string({ char: 'H', summary: 'The coding agent.', options: programNames }),
  folder: Flags.string({ summary: 'Folder that it works in (default: the workspace).', helpValue: 'DIR' }),
  skill: Flags.string({ summary: 'An installed skill that it begins with.', helpValue: 'NAME' }),
  file: Flags.string({ summary: 'Take the prompt from a file; - reads stdin.', helpValue: 'PATH' }),
}

export interface TaskFlags {
  cron?: string | undefined
  harness?: string | undefined
  folder?: string | undefined
  skill?: string | undefined
}

type TaskBody = NonNullable<Request<'PATCH /api/tasks/:id'>['body']>

/** The flags that were given as fields of a request. A folder of this machine is made absolute. */
export function fieldsOf(
  { cron, harness, folder, skill }: TaskFlags,
  workspace: string | undefined,
): TaskBody {
  const isRemote = locate(workspace).kind === 'remote'
  return {
    ...(cron !== undefined && { cronExpression: cron }),
    ...(harness !== undefined && { harness: harnessOf(harness) }),
    ...(folder !== undefined && { workingDirectory: isRemote ? folder : resolve(folder) }),
    ...(skill !== undefined && { skill }),
  }
}
