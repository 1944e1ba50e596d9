import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { locate } from '../../../client/daemon/locate.js'
import type { Request } from '../../../contract/api.js'
import { taskHarness } from '../../../contract/ground/wire-names.js'
import { rowOf } from '../../shell/listed-rows.js'
import { harnessOf, programNames } from './harness-program.js'

export const taskArg = {
  task: rowOf(
    'task',
    Args.string({ description: 'Id or name of the task.', required: true, ignoreStdin: true }),
  ),
}

export const taskFlags = {
  cron: Flags.string({
    char: 'c',
    summary: 'Schedule: minute, hour, day of month, month, weekday, such as "0 9 * * 1-5".',
    helpValue: 'EXPRESSION',
  }),
  harness: Flags.string({ char: 'H', summary: 'The coding agent.', options: [...programNames] }),
  acp: Flags.string({
    summary: 'Start any agent that speaks the Agent Client Protocol, such as "opencode acp".',
    helpValue: 'COMMAND',
  }),
  permissions: Flags.string({
    summary: 'Answer when an agent started with --acp asks for permission (default: all).',
    options: ['all', 'read', 'none'],
    dependsOn: ['acp'],
  }),
  folder: Flags.string({ summary: 'Working folder (default: the workspace).', helpValue: 'DIR' }),
  skill: Flags.string({ summary: 'An installed skill to start with.', helpValue: 'NAME' }),
  file: Flags.string({ summary: 'Read the prompt from a file; - reads stdin.', helpValue: 'PATH' }),
}

export interface TaskFlags {
  cron?: string | undefined
  harness?: string | undefined
  folder?: string | undefined
  skill?: string | undefined
  acp?: string | undefined
  permissions?: string | undefined
}

type TaskBody = NonNullable<Request<'PATCH /api/tasks/:id'>['body']>

/** Converts the given flags to fields of a request. A local folder becomes absolute. */
export function fieldsOf(
  { cron, harness, folder, skill, acp, permissions = 'all' }: TaskFlags,
  workspace: string | undefined,
): TaskBody {
  const isRemote = locate(workspace).kind === 'remote'
  return {
    ...(cron !== undefined && { cronExpression: cron }),
    ...(harness !== undefined && { harness: harnessOf(harness) }),
    ...(folder !== undefined && { workingDirectory: isRemote ? folder : resolve(folder) }),
    ...(skill !== undefined && { skill }),
    ...(acp !== undefined && {
      harness: taskHarness.acp,
      acp: { command: acp, permissions: permissions as 'all' | 'read' | 'none' },
    }),
  }
}
