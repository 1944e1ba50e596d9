import { dreamText } from '../../cli/knowledge/dream.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class DreamStatus extends DaemonCommand {
  static override summary = 'Show what reads your memories again: passes, what waits, and what it cost.'
  static override description =
    'What was said is read again in the background, and what is known of entities is drawn from it. Operations that wait for you: memory ontology proposals.'
  static override examples = ['<%= config.bin %> dream status']

  async run(): Promise<Reply<'GET /api/dream/status'>> {
    await this.parse(DreamStatus)
    const reply = await this.call('GET /api/dream/status')
    if (!this.jsonEnabled()) print(dreamText(reply, colorsFor()))
    return reply
  }
}
