import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { outcomeLines } from '../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type MigrateReply = Reply<'POST /api/secrets/vaulta/migrate'>

/** Each secret takes a few calls of the program, of a second or two. */
const timeoutMs = 3_600_000

const nextSteps = ['add --dry-run to see what would be done', 'add --yes to migrate them']

export default class SecretsMigrate extends DaemonCommand {
  static override summary = 'Copy local secrets to Bitwarden.'
  static override description =
    'Shows what happens to each secret and asks for confirmation. Each secret is read back from Bitwarden to ' +
    'verify it; only then, and only with --delete-local, the local one is deleted. If the migration is ' +
    'interrupted, run it again.'
  static override examples = [
    '<%= config.bin %> secrets migrate --dry-run',
    '<%= config.bin %> secrets migrate --delete-local --yes',
  ]
  static override flags = {
    overwrite: Flags.boolean({ summary: 'Replace different values in Bitwarden.' }),
    'delete-local': Flags.boolean({ summary: 'Delete each local secret after it is verified.' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be copied without copying it.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Skip confirmation.' }),
  }

  async run(): Promise<MigrateReply> {
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
        lines: outcomeLines(preview.secrets, { deletesLocal: deleteLocal }),
        question: `Copy them to Bitwarden${deleteLocal ? ' and delete them here' : ''}?`,
      }))
    return this.shown(await send(false), deleteLocal)
  }

  private shown(reply: MigrateReply, deletesLocal: boolean): MigrateReply {
    if (reply.failed > 0) process.exitCode = exitCodes.refused.code
    if (this.jsonEnabled()) return reply
    if (reply.secrets.length === 0) printNote('The local store has no secrets.')
    else print(outcomeLines(reply.secrets, { deletesLocal: deletesLocal && reply.dryRun }).join('\n'))
    if (!reply.dryRun) printNote(`Migrated ${countOf(reply.migrated, 'secret')}.`)
    return reply
  }
}
