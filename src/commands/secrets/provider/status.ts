import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'
import { printStays } from '../../../cli/terminal/stays.js'
import type { Reply } from '../../../contract/api.js'

interface Statuses {
  bitwarden: Reply<'GET /api/secrets/vaulta/status'>
  onePassword: Reply<'GET /api/secrets/vaultb/status'>
}

export default class SecretsProviderStatus extends DaemonCommand {
  static override summary = 'Show which password managers are connected, and which one is in use.'
  static override examples = ['<%= config.bin %> secrets provider status']

  async run(): Promise<Statuses> {
    await this.parse(SecretsProviderStatus)
    const [bitwarden, onePassword] = await Promise.all([
      this.call('GET /api/secrets/vaulta/status'),
      this.call('GET /api/secrets/vaultb/status'),
    ])
    if (this.jsonEnabled()) return { bitwarden, onePassword }
    print([...bitwardenLines(bitwarden), ...onePasswordLines(onePassword)].join('\n'))
    printStays(bitwarden.stays, 'password managers')
    return { bitwarden, onePassword }
  }
}

function bitwardenLines({ connected, active, status, folderId, problem }: Statuses['bitwarden']): string[] {
  const state = connected ? `connected, ${status ?? 'unreachable'}` : 'not connected'
  return [
    `in use     ${active ? 'Bitwarden' : 'the local store'}`,
    `Bitwarden  ${state}${folderId === null ? '' : `, folder ${folderId}`}`,
    ...(connected && problem !== null ? [`           ${problem}`] : []),
  ]
}

function onePasswordLines({ connected, vaults, problem }: Statuses['onePassword']): string[] {
  const names = vaults.map(({ name }) => name).join(', ')
  return [
    `1Password  ${connected ? `connected, vaults: ${names || 'none'}` : 'not connected'}`,
    ...(problem === null ? [] : [`           ${problem}`]),
  ]
}
