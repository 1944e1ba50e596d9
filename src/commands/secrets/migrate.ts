import { Flags } from '@oclif/core'
import { CliError } from '../../cli/cli-error.js'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { colorsFor, print, printNote } from '../../cli/output.js'
import { fateLines } from '../../cli/secrets/fate-lines.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/count-of.js'

type Migrated = Reply<'POST /api/secrets/vaulta/migrate'>

/** Each secret takes a few calls of the program, of a second or two. */
const timeoutMs = 3_600_000

export default class SecretsMigrate extends DaemonCommand {
  static override summary = 'Copy the local secrets to Bitwarden.'
  static override description =
    'Shows what happens to each secret and asks. Each one counts only once Bitwarden gave the same value back; only then, ' +
    'and only with --delete-local, the local one is deleted. A migration that was cut off can be started again.'
  static override examples = [
    '<%= config.bin %> secrets migrate --dry-run',
    '<%= config.bin %> secrets migrate --delete-local --yes',
  ]
  static override flags = {
    overwrite: Flags.boolean({ summary: 'Replace values of Bitwarden that differ.' }),
    'delete-local': Flags.boolean({ summary: 'Delete each local secret once it was read back.' }),
    'dry-run': Flags.boolean({ summary: 'Only show what would be done.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask.' }),
  }

  async run(): Promise<Migrated> {
    const { flags } = await this.parse(SecretsMigrate)
    const deleteLocal = flags['delete-local']
    const send = (dryRun: boolean) =>
      this.call(
        'POST /api/secrets/vaulta/migrate',
        { body: { dryRun, overwrite: flags.overwrite, deleteLocal } },
        { timeoutMs },
      )
    const preview = flags.yes && !flags['dry-run'] ? undefined : await send(true)
    if (preview && (flags['dry-run'] || preview.secrets.length === 0)) return this.shown(preview, deleteLocal)
    if (preview) await this.consent(preview, deleteLocal)
    return this.shown(await send(false), deleteLocal)
  }

  private shown(reply: Migrated, deletesLocal: boolean): Migrated {
    if (reply.failed > 0) process.exitCode = exitCodes.findings.code
    if (this.jsonEnabled()) return reply
    if (reply.secrets.length === 0) printNote('The local store holds no secrets.')
    else print(fateLines(reply.secrets, { deletesLocal: deletesLocal && reply.dryRun }).join('\n'))
    if (!reply.dryRun) printNote(`Migrated ${countOf(reply.migrated, 'secret')}.`)
    return reply
  }

  /** Ink loads here, and only here. */
  private async consent(preview: Migrated, deletesLocal: boolean): Promise<void> {
    if (this.jsonEnabled() || !process.stdin.isTTY || !process.stdout.isTTY)
      throw new CliError('nothing was changed: without a terminal to ask on, --yes is needed', {
        code: 'confirmation_required',
        exit: 'usage',
        nextSteps: ['memory secrets migrate --dry-run shows what would be done', 'add --yes'],
      })
    const { previewChange } = await import('../../cli/tui/preview-change.js')
    const confirmed = await previewChange({
      lines: fateLines(preview.secrets, { deletesLocal }),
      question: `Copy them to Bitwarden${deletesLocal ? ' and delete them here' : ''}?`,
      color: colorsFor().isColorSupported,
    })
    if (!confirmed) throw new CliError('nothing was changed', { code: 'cancelled', exit: 'cancelled' })
  }
}
