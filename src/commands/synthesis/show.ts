import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SynthesisShow extends DaemonCommand {
  static override summary = 'Preview the current MEMORY.md.'
  static override description =
    'Built from projects, sessions, open threads and durable notes, without a language model. Nothing is ' +
    'written.'
  static override examples = ['<%= config.bin %> synthesis show']

  async run(): Promise<Reply<'POST /api/hooks/synthesis'>> {
    await this.parse(SynthesisShow)
    const reply = await this.call('POST /api/hooks/synthesis', { body: {} })
    if (!this.jsonEnabled()) print(reply.prompt)
    return reply
  }
}
