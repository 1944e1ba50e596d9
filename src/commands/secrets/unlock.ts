import { readHidden, refuseValues } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsUnlock extends DaemonCommand {
  static override summary = 'Unlock the secrets with their passphrase until the daemon stops.'
  static override description =
    'Reads the passphrase from a hidden prompt or a pipe. The daemon keeps the key only in memory; a restart ' +
    'locks the secrets again. To unlock them at each start, set SERVICE_SECRETS_PASSPHRASE in the ' +
    'environment of the daemon.'
  static override examples = ['<%= config.bin %> secrets unlock']
  static override strict = false

  async run(): Promise<Reply<'POST /api/secrets/store/unlock'>> {
    const { argv } = await this.parse(SecretsUnlock)
    refuseValues(argv, 'passphrase', 'memory secrets unlock < FILE')
    const passphrase = await readHidden({ label: 'Passphrase of the secrets' })
    const reply = await this.call('POST /api/secrets/store/unlock', { body: { passphrase } })
    if (!this.jsonEnabled()) print('Unlocked until the daemon stops')
    return reply
  }
}
