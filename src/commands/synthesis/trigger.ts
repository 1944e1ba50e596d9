import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SynthesisTrigger extends DaemonCommand {
  static override summary = 'Write MEMORY.md soon.'
  static override description =
    'The daemon writes it by itself as memory.synthesis.schedule says; one that a person wrote is kept as MEMORY.md.bak.'
  static override examples = ['<%= config.bin %> synthesis trigger']

  async run(): Promise<Reply<'POST /api/synthesis/trigger'>> {
    await this.parse(SynthesisTrigger)
    const reply = await this.call('POST /api/synthesis/trigger')
    if (!this.jsonEnabled()) print(`MEMORY.md is being written (job ${reply.jobId})`)
    return reply
  }
}
