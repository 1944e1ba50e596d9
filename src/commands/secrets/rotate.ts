import { Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsRotate extends DaemonCommand {
  static override summary = 'Replace the encryption keys of the secrets; the values are kept.'
  static override description =
    'The inner key encrypts all values; the outer key (key file or keychain) encrypts the inner key. To set ' +
    'a new passphrase: memory secrets protect passphrase.'
  static override examples = [
    '<%= config.bin %> secrets rotate',
    '<%= config.bin %> secrets rotate --keys outer',
  ]
  static override flags = {
    keys: Flags.option({ summary: 'Keys to replace.', options: ['outer', 'inner', 'both'] as const })({
      default: 'both',
    }),
  }

  async run(): Promise<Reply<'POST /api/secrets/store/rotate'>> {
    const { flags } = await this.parse(SecretsRotate)
    const reply = await this.call('POST /api/secrets/store/rotate', { body: { keys: flags.keys } })
    if (!this.jsonEnabled()) print(`Replaced the ${reply.rotated.join(' and ')} key`)
    return reply
  }
}
