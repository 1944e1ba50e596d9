import { pausedText } from '../../cli/operations/pipeline.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PipelinePause extends DaemonCommand {
  static override summary = 'Stop reading again what was said; what is asked of a model is given up.'
  static override description =
    'Stands in agent.yaml, so that it holds over restarts. Memories are saved and recalled as before. The exit code is 1 if something had not ended after ten seconds.'
  static override examples = ['<%= config.bin %> pipeline pause']

  async run(): Promise<Reply<'POST /api/pipeline/pause'>> {
    await this.parse(PipelinePause)
    const reply = await this.call(
      'POST /api/pipeline/pause',
      {},
      { waitingFor: 'giving up what is on its way' },
    )
    if (reply.quiescence.timedOut) process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(pausedText(reply))
    return reply
  }
}
