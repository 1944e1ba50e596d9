import { pausedText } from '../../cli/operations/pipeline.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PipelinePause extends DaemonCommand {
  static override summary = 'Pause Dreaming and cancel its running model requests.'
  static override description =
    'The pause is saved in agent.yaml, so it survives restarts. Saving and recalling memories still works. ' +
    'The exit code is 1 if something is still running after ten seconds.'
  static override examples = ['<%= config.bin %> pipeline pause']

  async run(): Promise<Reply<'POST /api/pipeline/pause'>> {
    await this.parse(PipelinePause)
    const reply = await this.call(
      'POST /api/pipeline/pause',
      {},
      { waitingFor: 'cancelling running requests' },
    )
    if (reply.quiescence.timedOut) process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(pausedText(reply))
    return reply
  }
}
