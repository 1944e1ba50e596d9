import { Args } from '@oclif/core'
import { refuseValues } from '../../cli/secrets/no-values.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsProtect extends DaemonCommand {
  static override summary = 'Keep the key of the secrets in a file, in the keychain, or under a passphrase.'
  static override description =
    'keyfile: .secrets/machine.key, readable by you alone (the default). keychain: that of the operating system. ' +
    'passphrase: nothing on disk opens the store; tell it to the daemon after each start with memory secrets unlock. ' +
    'A passphrase comes from a prompt or a pipe. Everything is sealed anew under new keys.'
  static override examples = [
    '<%= config.bin %> secrets protect keychain',
    '<%= config.bin %> secrets protect passphrase',
  ]
  static override args = {
    source: Args.string({
      description: 'Where the key is.',
      options: ['keyfile', 'keychain', 'passphrase'],
      required: true,
      ignoreStdin: true,
    }),
  }
  static override strict = false

  async run(): Promise<Reply<'POST /api/secrets/store/protect'>> {
    const { args, argv } = await this.parse(SecretsProtect)
    refuseValues(argv.slice(1), 'passphrase', 'memory secrets protect passphrase < FILE')
    const source = args.source as 'keyfile' | 'keychain' | 'passphrase'
    const body =
      source === 'passphrase'
        ? { source, passphrase: await readHidden({ label: 'New passphrase of the secrets', repeat: true }) }
        : { source }
    const reply = await this.call('POST /api/secrets/store/protect', { body })
    if (this.jsonEnabled()) return reply
    print(`the key of the secrets is now: ${reply.source}`)
    if (source === 'passphrase')
      printNote(
        'Nobody can bring a lost passphrase back. After each start of the daemon: memory secrets unlock',
      )
    return reply
  }
}
