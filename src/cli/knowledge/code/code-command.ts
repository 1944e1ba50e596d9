import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { locate } from '../../../client/daemon/locate.js'
import { DaemonCommand } from '../../shell/daemon-command.js'

export const projectFlag = Flags.string({
  summary: 'A folder of the project (default: the one you are in).',
  helpValue: 'PATH',
})

export const symbolArg = Args.string({
  description: 'A name, Class.method, or path:name for one of several.',
  required: true,
  ignoreStdin: true,
})

/** A command about the code of one project. */
export abstract class CodeCommand extends DaemonCommand {
  /** The project as the daemon is asked for it: one of another machine is as its owner wrote it. */
  protected projectOf(given: string | undefined): string | undefined {
    if (locate(this.globals.workspace).kind === 'remote') return given
    return resolve(given ?? '.')
  }
}
