import { refuseValues } from '../../cli/secrets/no-values.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsUnlock extends DaemonCommand {
  static override summary = 'Tell the daemon the passphrase of the secrets, until it ends.'
  static override description =
    'From a prompt that shows nothing, or from a pipe. The daemon keeps the key in memory alone; a restart locks the ' +
    'store again. SERVICE_SECRETS_PASSPHRASE in the environment of the daemon does the same at each start.'
  static override examples = ['<%= config.bin %> secrets unlock']
  static override strict = false

  async run(): Promise<Reply<'POST /api/secrets/store/unlock'>> {
    const { argv } = await this.parse(SecretsUnlock)
    refuseValues(argv, 'passphrase', 'memory secrets unlock < FILE')
    const passphrase = await readHidden({ label: 'Passphrase of the secrets' })
    const reply = await this.call('POST /api/secrets/store/unlock', { body: { passphrase } })
    if (!this.jsonEnabled()) print('unlocked until the daemon ends')
    return reply
  }
}
