import { type Manager, managerArg, productOf } from '../../../cli/secrets/provider-names.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'

export default class SecretsProviderDisconnect extends DaemonCommand {
  static override summary = 'Disconnect a password manager and delete its token here.'
  static override description =
    'Nothing is deleted in the password manager, and local secrets are kept. The local store is used from ' +
    'then on.'
  static override examples = ['<%= config.bin %> secrets provider disconnect bitwarden']
  static override args = { manager: managerArg }

  async run(): Promise<{ success: true }> {
    const { args } = await this.parse(SecretsProviderDisconnect)
    const manager = args.manager as Manager
    const { success } = await (manager === 'bitwarden'
      ? this.call('DELETE /api/secrets/vaulta/connect')
      : this.call('DELETE /api/secrets/vaultb/connect'))
    if (!this.jsonEnabled()) print(`Disconnected ${productOf[manager]}`)
    return { success }
  }
}
