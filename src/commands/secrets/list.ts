import { DaemonCommand } from '../../cli/daemon-command.js'
import { print, printNote } from '../../cli/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsList extends DaemonCommand {
  static override summary = 'List the names of secrets, never their values.'
  static override examples = ['<%= config.bin %> secrets list', '<%= config.bin %> secrets list --json']

  async run(): Promise<Reply<'GET /api/secrets'>> {
    await this.parse(SecretsList)
    const reply = await this.call('GET /api/secrets')
    if (this.jsonEnabled()) return reply
    if (reply.secrets.length === 0) printNote('No secrets yet. Next: memory secrets set NAME')
    else print(reply.secrets.join('\n'))
    return reply
  }
}
