import { statusText } from '../../cli/operations/git/git-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class GitStatus extends DaemonCommand {
  static override summary = 'Show changes that are not yet committed, pushed or pulled.'
  static override description = 'Does not contact the remote: its state is that of the last pull.'
  static override examples = ['<%= config.bin %> git status', '<%= config.bin %> git status --json']

  async run(): Promise<Reply<'GET /api/git/status'>> {
    await this.parse(GitStatus)
    const status = await this.call('GET /api/git/status')
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}
