import { Flags } from '@oclif/core'
import { type Manager, managerArg, productOf } from '../../../cli/secrets/provider-names.js'
import { readHidden, refuseValues } from '../../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'

type ConnectReply = Reply<'POST /api/secrets/vaulta/connect'> | Reply<'POST /api/secrets/vaultb/connect'>

export default class SecretsProviderConnect extends DaemonCommand {
  static override summary = 'Connect Bitwarden or 1Password.'
  static override description =
    'Reads a Bitwarden session (printed by bw unlock --raw) or the token of a 1Password service account, ' +
    'from a hidden prompt or a pipe. It is verified first and stored encrypted.'
  static override examples = [
    'bw unlock --raw | <%= config.bin %> secrets provider connect bitwarden --activate',
    '<%= config.bin %> secrets provider connect 1password',
  ]
  static override args = { manager: managerArg }
  static override flags = {
    activate: Flags.boolean({ summary: 'Store new secrets in Bitwarden from now on.' }),
    folder: Flags.string({ summary: 'Id of the Bitwarden folder to store them in.', helpValue: 'ID' }),
  }
  // A surplus argument may be the token, which oclif's error would print.
  static override strict = false

  async run(): Promise<ConnectReply> {
    const { args, argv, flags } = await this.parse(SecretsProviderConnect)
    refuseValues(argv.slice(1), 'value', 'bw unlock --raw | memory secrets provider connect bitwarden')
    const manager = args.manager as Manager
    const reply = await (manager === 'bitwarden' ? this.connectBitwarden(flags) : this.connectOnePassword())
    const inUse = 'active' in reply && reply.active ? '; new secrets are stored there from now on' : ''
    if (!this.jsonEnabled()) print(`Connected ${productOf[manager]}${inUse}`)
    return reply
  }

  private async connectBitwarden(flags: { activate: boolean; folder: string | undefined }) {
    const session = await readHidden({ label: 'Bitwarden session' })
    const { activate, folder } = flags
    return this.call('POST /api/secrets/vaulta/connect', {
      body: { session, activate, ...(folder !== undefined && { folderId: folder }) },
    })
  }

  private async connectOnePassword() {
    const token = await readHidden({ label: '1Password token' })
    return this.call('POST /api/secrets/vaultb/connect', { body: { token } })
  }
}
