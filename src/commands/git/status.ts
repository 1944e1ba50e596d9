import { statusText } from '../../cli/operations/git/git-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class GitStatus extends DaemonCommand {
  static override summary = 'Show what is not committed, pushed and pulled.'
  static override description = 'The remote is not asked: what is known of it is as of the last pull.'
  static override examples = ['<%= config.bin %> git status', '<%= config.bin %> git status --json']

  async run(): Promise<Reply<'GET /api/git/status'>> {
    await this.parse(GitStatus)
    const status = await this.call('GET /api/git/status')
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}
