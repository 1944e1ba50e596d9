import { Args, Flags } from '@oclif/core'
import { reasonFlag, requireReason } from '../cli/memory/flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, shownId } from '../cli/terminal/output.js'

export default class Recover extends DaemonCommand {
  static override summary = 'Recover a forgotten memory within 30 days.'
  static override examples = [
    '<%= config.bin %> recover 0198c0de-0000-7000-8000-000000000001 --reason "still true"',
  ]
  static override args = {
    id: rowOf('memory', Args.string({ description: 'Id of the memory.', required: true, ignoreStdin: true })),
  }
  static override flags = {
    reason: reasonFlag(),
    'if-version': Flags.integer({ summary: 'Only if the memory still has this version.', min: 1 }),
  }

  async run() {
    const { args, flags } = await this.parse(Recover)
    const reason = requireReason(flags.reason, `memory recover ${args.id} --reason "still true"`)
    const reply = await this.call('POST /api/memory/:id/recover', {
      params: { id: args.id },
      body: { reason, if_version: flags['if-version'] },
    })
    if (this.jsonEnabled()) return reply
    const colors = colorsFor()
    print(
      `${colors.green('Recovered')}  ${colors.bold(shownId(reply.id))}  ${colors.dim(`version ${reply.newVersion}`)}`,
    )
    return reply
  }
}
