import { pipelineText } from '../../cli/operations/pipeline.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PipelineStatus extends DaemonCommand {
  static override summary = 'Show background work: its mode, the queue and failed jobs.'
  static override examples = ['<%= config.bin %> pipeline status', '<%= config.bin %> pipeline status --json']

  async run(): Promise<Reply<'GET /api/pipeline/status'>> {
    await this.parse(PipelineStatus)
    const status = await this.call('GET /api/pipeline/status')
    if (!this.jsonEnabled()) print(pipelineText(status, colorsFor()))
    return status
  }
}
