import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { locate } from '../../../client/daemon/locate.js'
import { DaemonCommand } from '../../shell/daemon-command.js'

export const projectFlag = Flags.string({
  summary: 'A folder of the project (default: the current folder).',
  helpValue: 'PATH',
})

export const symbolArg = Args.string({
  description: 'A name, Class.method, or path:name if the name is not unique.',
  required: true,
  ignoreStdin: true,
})

export abstract class CodeCommand extends DaemonCommand {
  /** Returns the project for a request. A path of another machine is sent as the user wrote it. */
  protected projectOf(given: string | undefined): string | undefined {
    if (locate(this.globals.workspace).kind === 'remote') return given
    return resolve(given ?? '.')
  }
}
