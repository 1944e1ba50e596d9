import { Args, Flags } from '@oclif/core'
import { reasonFlag, reasonOf } from '../cli/memory/flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, shownId } from '../cli/terminal/output.js'

export default class Supersede extends DaemonCommand {
  static override summary = 'Mark a memory as replaced by another one.'
  static override description =
    'The old memory stays readable and links to the new one. To replace a memory with new text: memory ' +
    'remember "..." --supersedes ID.'
  static override examples = [
    '<%= config.bin %> supersede 0198c0de-0000-7000-8000-000000000001 --by 0198c0de-0000-7000-8000-000000000002 --reason "moved to pnpm"',
  ]
  static override args = {
    id: rowOf(
      'memory',
      Args.string({ description: 'Id of the old memory.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    by: rowOf(
      'memory',
      Flags.string({ summary: 'Id of the memory that replaces it.', required: true, helpValue: 'ID' }),
    ),
    reason: reasonFlag(),
  }

  async run() {
    const { args, flags } = await this.parse(Supersede)
    const reason = reasonOf(flags.reason, 'superseded on the command line')
    const reply = await this.call('POST /api/memories/:id/supersede', {
      params: { id: args.id },
      body: { supersededBy: flags.by, reason },
    })
    if (this.jsonEnabled()) return reply
    const colors = colorsFor()
    print(
      `${colors.green('Superseded')}  ${colors.bold(shownId(reply.id))} by ${colors.bold(shownId(flags.by))}  ${colors.dim(`version ${reply.newVersion}`)}`,
    )
    return reply
  }
}
