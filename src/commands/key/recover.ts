import { Flags } from '@oclif/core'
import { readHidden, refuseValues } from '../../cli/secrets/read-hidden.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class KeyRecover extends DaemonCommand {
  static override summary = 'Give this workspace the key of a recovery code.'
  static override description =
    'Reads the code from a hidden prompt or a pipe. Use it on another machine, so that it opens the same ' +
    'backups and seals its own for the same key.'
  static override examples = ['<%= config.bin %> key recover']
  static override flags = {
    replace: Flags.boolean({ summary: 'Replace another key, which still opens earlier backups.' }),
  }
  static override strict = false

  async run(): Promise<Reply<'POST /api/workspace-key'>> {
    const { argv, flags } = await this.parse(KeyRecover)
    refuseValues(argv, 'recovery code', 'memory key recover < FILE')
    const code = await readHidden({ label: 'Recovery code' })
    const reply = await this.call('POST /api/workspace-key', { body: { code, replace: flags.replace } })
    if (!this.jsonEnabled()) print(`Backups are sealed for ${reply.recipients.join(', ')}`)
    return reply
  }
}
