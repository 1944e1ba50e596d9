import { type Manager, managerArg, productOf } from '../../../cli/secrets/provider-names.js'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'

export default class SecretsProviderDisconnect extends DaemonCommand {
  static override summary = 'Forget the token of a password manager.'
  static override description =
    'Nothing is deleted there, and local secrets stay; the local store is in use afterwards.'
  static override examples = ['<%= config.bin %> secrets provider disconnect bitwarden']
  static override args = { manager: managerArg }

  async run(): Promise<{ success: true }> {
    const { args } = await this.parse(SecretsProviderDisconnect)
    const manager = args.manager as Manager
    const { success } = await (manager === 'bitwarden'
      ? this.call('DELETE /api/secrets/vaulta/connect')
      : this.call('DELETE /api/secrets/vaultb/connect'))
    if (!this.jsonEnabled()) print(`disconnected ${productOf[manager]}`)
    return { success }
  }
}
