import { Args, Flags } from '@oclif/core'
import { outcomeLines } from '../../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { exitCodes } from '../../../cli/shell/exit-codes.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'

type ImportReply = Reply<'POST /api/secrets/vaultb/import'>

/** A vault of thousands of items takes long, with one call of the program for each. */
const timeoutMs = 3_600_000

export default class SecretsProviderImport extends DaemonCommand {
  static override summary = 'Copy hidden fields of 1Password vaults to the local store.'
  static override description =
    'Names consist of prefix, item and, if an item has several hidden fields, the field: "GitHub (work)" ' +
    'becomes GITHUB_WORK. Existing values are kept unless you give --overwrite.'
  static override examples = [
    '<%= config.bin %> secrets provider import Agents --dry-run',
    '<%= config.bin %> secrets provider import Agents Shared --prefix OP_',
  ]
  static override args = {
    vault: Args.string({
      description: 'Names or ids of vaults.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    prefix: Flags.string({ summary: 'Prefix of the names.', default: '' }),
    overwrite: Flags.boolean({ summary: 'Replace existing values.' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be stored without storing it.' }),
  }
  static override strict = false

  async run(): Promise<ImportReply> {
    const { argv, flags } = await this.parse(SecretsProviderImport)
    const { prefix, overwrite } = flags
    const body = { vaults: argv as string[], prefix, overwrite, dryRun: flags['dry-run'] }
    const reply = await this.call('POST /api/secrets/vaultb/import', { body }, { timeoutMs })
    if (reply.failed > 0) process.exitCode = exitCodes.refused.code
    if (this.jsonEnabled()) return reply
    print(outcomeLines(reply.secrets, { deletesLocal: false }).join('\n'))
    if (!reply.dryRun) printNote(`Stored ${countOf(reply.imported, 'secret')}.`)
    return reply
  }
}
