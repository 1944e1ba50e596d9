import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { fateLines } from '../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type Migrated = Reply<'POST /api/secrets/vaulta/migrate'>

/** Each secret takes a few calls of the program, of a second or two. */
const timeoutMs = 3_600_000

/** For whoever can't be asked. */
const nextSteps = ['add --dry-run to see what would be done', 'add --yes to migrate them']

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
    if (preview)
      await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, () => ({
        lines: fateLines(preview.secrets, { deletesLocal: deleteLocal }),
        question: `Copy them to Bitwarden${deleteLocal ? ' and delete them here' : ''}?`,
      }))
    return this.shown(await send(false), deleteLocal)
  }

  private shown(reply: Migrated, deletesLocal: boolean): Migrated {
    if (reply.failed > 0) process.exitCode = exitCodes.refused.code
    if (this.jsonEnabled()) return reply
    if (reply.secrets.length === 0) printNote('The local store holds no secrets.')
    else print(fateLines(reply.secrets, { deletesLocal: deletesLocal && reply.dryRun }).join('\n'))
    if (!reply.dryRun) printNote(`Migrated ${countOf(reply.migrated, 'secret')}.`)
    return reply
  }
}
