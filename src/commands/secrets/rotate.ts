import { Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsRotate extends DaemonCommand {
  static override summary = 'Replace the keys of the secrets; the values stay.'
  static override description =
    'The inner key seals every value, the outer one (key file or keychain) seals the inner key. A new passphrase is set ' +
    'by memory secrets protect passphrase.'
  static override examples = [
    '<%= config.bin %> secrets rotate',
    '<%= config.bin %> secrets rotate --keys outer',
  ]
  static override flags = {
    keys: Flags.option({ summary: 'Which.', options: ['outer', 'inner', 'both'] as const })({
      default: 'both',
    }),
  }

  async run(): Promise<Reply<'POST /api/secrets/store/rotate'>> {
    const { flags } = await this.parse(SecretsRotate)
    const reply = await this.call('POST /api/secrets/store/rotate', { body: { keys: flags.keys } })
    if (!this.jsonEnabled()) print(`replaced: ${reply.rotated.join(' and ')} key`)
    return reply
  }
}
