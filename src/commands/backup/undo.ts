import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { restartToRestore } from '../../cli/operations/backup/take-in.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class BackupUndo extends DaemonCommand {
  static override summary = 'Take the last restore back.'
  static override description =
    'Brings back what was there before it, and keeps what is there now: another undo brings that back. A restore that is prepared and did not happen yet is called off.'
  static override examples = ['<%= config.bin %> backup undo']
  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/backup/undo'>> {
    const { flags } = await this.parse(BackupUndo)
    requireOwnDaemon()
    const json = this.jsonEnabled()
    await askAbout({ yes: flags.yes, json, nextSteps: ['add --yes to do it'] }, async () => ({
      lines: await this.plan(),
      question: 'Take it back?',
    }))
    const reply = await this.call('POST /api/backup/undo', { body: { confirm: true } })
    if (reply.restartRequired) await restartToRestore(this.globals.workspace)
    if (!json)
      print(
        `${colorsFor().green('✓')} ${reply.restartRequired ? 'what was there before is back' : reply.message}`,
      )
    return reply
  }

  /** @throws CliError `not_found` if there is nothing to undo. */
  private async plan(): Promise<string[]> {
    const { lastRestore, pendingRestore } = await this.call('GET /api/backup')
    if (pendingRestore) return [`The restore of ${pendingRestore.id} that is prepared is called off.`]
    if (lastRestore?.canUndo)
      return [
        `The workspace becomes what it was before the restore of ${lastRestore.id} at ${lastRestore.at}.`,
        'What was saved since then is kept for a month; another memory backup undo brings it back.',
      ]
    throw new CliError('there is no restore to take back', { code: 'not_found', exit: 'notFound' })
  }
}
