import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'

export default class SecretsProviderFolders extends DaemonCommand {
  static override summary = 'List Bitwarden folders.'
  static override examples = ['<%= config.bin %> secrets provider folders']

  async run(): Promise<Reply<'GET /api/secrets/vaulta/folders'>> {
    await this.parse(SecretsProviderFolders)
    const reply = await this.call('GET /api/secrets/vaulta/folders')
    if (this.jsonEnabled()) return reply
    if (reply.folders.length === 0) printNote('Bitwarden has no folders.')
    else print(reply.folders.map(({ id, name }) => `${id}  ${name}`).join('\n'))
    return reply
  }
}
