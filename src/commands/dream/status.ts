import { dreamText } from '../../cli/knowledge/dream.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class DreamStatus extends DaemonCommand {
  static override summary = 'Show the status of Dreaming: recent passes, pending texts and cost.'
  static override description =
    'Dreaming extracts facts from your conversations and memories in the background. To review uncertain ' +
    'facts: memory review.'
  static override examples = ['<%= config.bin %> dream status']

  async run(): Promise<Reply<'GET /api/dream/status'>> {
    await this.parse(DreamStatus)
    const reply = await this.call('GET /api/dream/status')
    if (!this.jsonEnabled()) print(dreamText(reply, colorsFor()))
    return reply
  }
}
