import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { print } from '../../cli/output.js'
import { requireConsent } from '../../cli/secrets/consent.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsDelete extends DaemonCommand {
  static override summary = 'Delete a secret.'
  static override description = 'Asks before it does; nothing brings the value back.'
  static override examples = [
    '<%= config.bin %> secrets delete OLD_KEY',
    '<%= config.bin %> secrets delete OLD_KEY --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Its name.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask.' }),
  }

  async run(): Promise<Reply<'DELETE /api/secrets/:name'>> {
    const { args, flags } = await this.parse(SecretsDelete)
    const question = `Delete the secret ${args.name}? Nothing brings its value back.`
    await requireConsent(question, { yes: flags.yes, json: this.jsonEnabled() })
    const reply = await this.call('DELETE /api/secrets/:name', { params: { name: args.name } })
    if (!this.jsonEnabled()) print(`deleted ${reply.name}`)
    return reply
  }
}
