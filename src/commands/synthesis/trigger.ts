import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SynthesisTrigger extends DaemonCommand {
  static override summary = 'Queue a rewrite of MEMORY.md.'
  static override description =
    'The daemon also rewrites it on the schedule in memory.synthesis.schedule. A MEMORY.md written by a ' +
    'person is kept as MEMORY.md.bak.'
  static override examples = ['<%= config.bin %> synthesis trigger']

  async run(): Promise<Reply<'POST /api/synthesis/trigger'>> {
    await this.parse(SynthesisTrigger)
    const reply = await this.call('POST /api/synthesis/trigger')
    if (!this.jsonEnabled()) print(`Queued a rewrite of MEMORY.md (job ${reply.jobId})`)
    return reply
  }
}
