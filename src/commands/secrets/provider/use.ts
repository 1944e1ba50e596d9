import { Args } from '@oclif/core'
import { DaemonCommand } from '../../../cli/shell/daemon-command.js'
import { print } from '../../../cli/terminal/output.js'
import type { Reply } from '../../../contract/api.js'
import { secretProvider } from '../../../contract/ground/wire-names.js'

export default class SecretsProviderUse extends DaemonCommand {
  static override summary = 'Choose where secrets are stored and looked up.'
  static override description =
    'Secrets stored elsewhere stay there: local://NAME always refers to the local store, vaulta://name/NAME ' +
    'to Bitwarden.'
  static override examples = [
    '<%= config.bin %> secrets provider use bitwarden',
    '<%= config.bin %> secrets provider use local',
  ]
  static override args = {
    place: Args.string({
      description: 'local or bitwarden.',
      required: true,
      options: ['local', 'bitwarden'],
      ignoreStdin: true,
    }),
  }

  async run(): Promise<Reply<'POST /api/secrets/vaulta/provider'>> {
    const { args } = await this.parse(SecretsProviderUse)
    const provider = args.place === 'local' ? secretProvider.local : secretProvider.bitwarden
    const reply = await this.call('POST /api/secrets/vaulta/provider', { body: { provider } })
    if (!this.jsonEnabled())
      print(`Secrets are now stored in ${provider === 'local' ? 'the local store' : 'Bitwarden'}`)
    return reply
  }
}
