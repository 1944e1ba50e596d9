import { Args, Flags } from '@oclif/core'
import { fateLines } from '../../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { exitCodes } from '../../../cli/shell/exit-codes.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'

type Imported = Reply<'POST /api/secrets/vaultb/import'>

/** A vault of thousands of items takes a while: a call of the program each. */
const timeoutMs = 3_600_000

export default class SecretsProviderImport extends DaemonCommand {
  static override summary = 'Copy the hidden fields of vaults of 1Password into the local store.'
  static override description =
    'Names are made of prefix, item and, where an item has several hidden fields, field: "GitHub (work)" becomes ' +
    'GITHUB_WORK. Values that are here stay unless --overwrite is given.'
  static override examples = [
    '<%= config.bin %> secrets provider import Agents --dry-run',
    '<%= config.bin %> secrets provider import Agents Shared --prefix OP_',
  ]
  static override args = {
    vault: Args.string({
      description: 'A vault, by name or id; several may stand here.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    prefix: Flags.string({ summary: 'What the names begin with.', default: '' }),
    overwrite: Flags.boolean({ summary: 'Replace values that are here.' }),
    'dry-run': Flags.boolean({ summary: 'Only show what would be stored.' }),
  }
  static override strict = false

  async run(): Promise<Imported> {
    const { argv, flags } = await this.parse(SecretsProviderImport)
    const { prefix, overwrite } = flags
    const body = { vaults: argv as string[], prefix, overwrite, dryRun: flags['dry-run'] }
    const reply = await this.call('POST /api/secrets/vaultb/import', { body }, { timeoutMs })
    if (reply.failed > 0) process.exitCode = exitCodes.refused.code
    if (this.jsonEnabled()) return reply
    print(fateLines(reply.secrets, { deletesLocal: false }).join('\n'))
    if (!reply.dryRun) printNote(`Stored ${countOf(reply.imported, 'secret')}.`)
    return reply
  }
}
