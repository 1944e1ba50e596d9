import { Args } from '@oclif/core'
import { readHidden, refuseValues } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsProtect extends DaemonCommand {
  static override summary =
    'Choose what protects the key of the secrets: a key file, the keychain or a passphrase.'
  static override description =
    'keyfile: .secrets/machine.key, readable only by you (the default). keychain: the keychain of the ' +
    'operating system. passphrase: nothing on disk can decrypt the store; run memory secrets unlock after ' +
    'each start of the daemon. A passphrase is read from a prompt or a pipe. All secrets are re-encrypted ' +
    'with new keys.'
  static override examples = [
    '<%= config.bin %> secrets protect keychain',
    '<%= config.bin %> secrets protect passphrase',
  ]
  static override args = {
    source: Args.string({
      description: 'Protection of the key.',
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
    print(`The key of the secrets is now protected by: ${reply.source}`)
    if (source === 'passphrase')
      printNote(
        'A lost passphrase cannot be recovered. After each start of the daemon, run: memory secrets unlock',
      )
    return reply
  }
}
