import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class KeyShow extends DaemonCommand {
  static override summary = 'Show the secret key of the workspace for the tool age.'
  static override description =
    'With it, age opens sealed backups and exports without memory-service: age --decrypt -i KEY_FILE ' +
    'BACKUP.tar.gz.age. Keys that were replaced follow the present one. The recovery code cannot be shown ' +
    'again.'
  static override examples = ['<%= config.bin %> key show --yes > key.txt']
  static override flags = { yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/workspace-key/identity'>> {
    const { flags } = await this.parse(KeyShow)
    const json = this.jsonEnabled()
    await askAbout({ yes: flags.yes, json, nextSteps: ['add --yes to print the key'] }, () => ({
      lines: ['Everybody who reads this key can open all sealed backups of this workspace.'],
      question: 'Show it here?',
    }))
    const reply = await this.call('POST /api/workspace-key/identity', { body: {} })
    if (!json) print(reply.identities.join('\n'))
    return reply
  }
}
