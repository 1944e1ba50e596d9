import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { restartToRestore } from '../../cli/operations/backup/restart-to-restore.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class BackupUndo extends DaemonCommand {
  static override summary = 'Undo the last restore.'
  static override description =
    'Brings back the workspace from before the restore. The current state is kept, so another undo brings it ' +
    'back. A restore that is prepared but not yet applied is cancelled.'
  static override examples = ['<%= config.bin %> backup undo']
  static override flags = { yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/backup/undo'>> {
    const { flags } = await this.parse(BackupUndo)
    requireOwnDaemon()
    const json = this.jsonEnabled()
    await askAbout({ yes: flags.yes, json, nextSteps: ['add --yes to undo it'] }, async () => ({
      lines: await this.plan(),
      question: 'Undo the restore?',
    }))
    const reply = await this.call('POST /api/backup/undo', { body: { confirm: true } })
    if (reply.restartRequired) await restartToRestore(this.globals.workspace)
    if (!json)
      print(
        `${colorsFor().green('✓')} ${reply.restartRequired ? 'Restored the previous workspace' : reply.message}`,
      )
    return reply
  }

  /** @throws CliError `not_found` if there is nothing to undo. */
  private async plan(): Promise<string[]> {
    const { lastRestore, pendingRestore } = await this.call('GET /api/backup')
    if (pendingRestore) return [`The prepared restore of ${pendingRestore.id} is cancelled.`]
    if (lastRestore?.canUndo)
      return [
        `The workspace returns to its state before the restore of ${lastRestore.id} at ${lastRestore.at}.`,
        'Changes since then are kept for a month; run memory backup undo again to bring them back.',
      ]
    throw new CliError('nothing to undo: no restore is kept', { code: 'not_found', exit: 'notFound' })
  }
}
