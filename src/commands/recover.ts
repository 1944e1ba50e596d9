import { Args, Flags } from '@oclif/core'
import { reasonFlag, reasonOf } from '../cli/memory/flags.js'
import { CliError } from '../cli/shell/cli-error.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, print, shownId } from '../cli/terminal/output.js'

export default class Recover extends DaemonCommand {
  static override summary = 'Recover forgotten memories within 30 days.'
  static override description = 'To bring back all that was forgotten at once: memory undo.'
  static override examples = [
    '<%= config.bin %> recover 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> recover @1 @2',
  ]
  static override args = {
    ids: rowOf(
      'memory',
      Args.string({ description: 'Ids of the memories.', required: true, multiple: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    reason: reasonFlag(),
    'if-version': Flags.integer({ summary: 'Only if the memory still has this version.', min: 1 }),
  }

  async run() {
    const { args, flags } = await this.parse(Recover)
    const [id = '', ...others] = args.ids
    const reason = reasonOf(flags.reason, 'recovered on the command line')
    if (others.length > 0) return this.recoverAll(args.ids, reason, flags['if-version'])
    const body = { reason, if_version: flags['if-version'] }
    const reply = await this.call('POST /api/memory/:id/recover', { params: { id }, body })
    const colors = colorsFor()
    const version = colors.dim(`version ${reply.newVersion}`)
    if (!this.jsonEnabled())
      print(`${colors.green('Recovered')}  ${colors.bold(shownId(reply.id))}  ${version}`)
    return reply
  }

  private async recoverAll(ids: string[], reason: string, version: number | undefined) {
    if (version !== undefined)
      throw new CliError('--if-version is for one memory', { code: 'validation_failed', exit: 'usage' })
    const reply = await this.call('POST /api/memory/recover', { body: { ids, reason } })
    if (reply.recovered < reply.requested) process.exitCode = exitCodes.refused.code
    const colors = colorsFor()
    const lines = reply.results.map(({ id, status }) =>
      status === 'recovered'
        ? `${colors.green('Recovered')}  ${colors.bold(shownId(id))}`
        : `${colors.yellow('Not recovered')}  ${colors.bold(shownId(id))}  ${status.replaceAll('_', ' ')}`,
    )
    if (!this.jsonEnabled()) print(lines.join('\n'))
    return reply
  }
}
