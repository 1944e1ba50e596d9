import { Flags } from '@oclif/core'
import { refuseValues } from '../../../cli/secrets/no-values.js'
import { type Manager, managerArg, productOf } from '../../../cli/secrets/provider-names.js'
import { readHidden } from '../../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'

type Connected = Reply<'POST /api/secrets/vaulta/connect'> | Reply<'POST /api/secrets/vaultb/connect'>

export default class SecretsProviderConnect extends DaemonCommand {
  static override summary = 'Connect Bitwarden or 1Password.'
  static override description =
    'Asks for the session of Bitwarden (bw unlock --raw prints it) or the token of a service account of 1Password, at a ' +
    'prompt that shows nothing or from a pipe. It is tried first and kept encrypted.'
  static override examples = [
    'bw unlock --raw | <%= config.bin %> secrets provider connect bitwarden --activate',
    '<%= config.bin %> secrets provider connect 1password',
  ]
  static override args = { manager: managerArg }
  static override flags = {
    activate: Flags.boolean({ summary: 'Keep new secrets in Bitwarden from now on.' }),
    folder: Flags.string({ summary: 'Folder of Bitwarden to keep them in, by its id.', helpValue: 'ID' }),
  }
  // A surplus argument may be the token, which oclif's error would print.
  static override strict = false

  async run(): Promise<Connected> {
    const { args, argv, flags } = await this.parse(SecretsProviderConnect)
    refuseValues(argv.slice(1), 'value', 'bw unlock --raw | memory secrets provider connect bitwarden')
    const manager = args.manager as Manager
    const reply = await (manager === 'bitwarden' ? this.connectBitwarden(flags) : this.connectOnePassword())
    const inUse = 'active' in reply && reply.active ? '; it keeps new secrets from now on' : ''
    if (!this.jsonEnabled()) print(`connected ${productOf[manager]}${inUse}`)
    return reply
  }

  private async connectBitwarden(flags: { activate: boolean; folder: string | undefined }) {
    const session = await readHidden({ label: 'Session of Bitwarden' })
    const { activate, folder } = flags
    return this.call('POST /api/secrets/vaulta/connect', {
      body: { session, activate, ...(folder !== undefined && { folderId: folder }) },
    })
  }

  private async connectOnePassword() {
    const token = await readHidden({ label: 'Token of 1Password' })
    return this.call('POST /api/secrets/vaultb/connect', { body: { token } })
  }
}
