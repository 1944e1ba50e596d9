import { Flags } from '@oclif/core'
import { followDream, passLine } from '../../cli/knowledge/dream.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print } from '../../cli/terminal/output.js'
import { call } from '../../client/call.js'

export default class DreamRun extends DaemonCommand {
  static override summary = 'Process everything new now.'
  static override description =
    'Dreaming extracts facts from your conversations and memories; the daemon runs it on the schedule in ' +
    'dreaming.schedule. Saved memories are not changed. Every fact has the quotes it comes from; uncertain ' +
    'ones wait for your review (memory review).'
  static override examples = ['<%= config.bin %> dream run --wait']
  static override flags = {
    wait: Flags.boolean({ summary: 'Wait until processing is complete. The exit code is 1 if it fails.' }),
  }

  async run() {
    const { flags } = await this.parse(DreamRun)
    const started = await this.call('POST /api/dream/trigger')
    if (!flags.wait) {
      if (!this.jsonEnabled())
        print(`Started Dreaming (job ${started.jobId}). To see its progress: memory dream status`)
      return started
    }
    const { passes } = await followDream(() => call('GET /api/dream/status', {}, this.globals))
    const pass = passes.find(({ jobId }) => jobId === started.jobId)
    if (pass?.outcome !== 'completed') process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled())
      print(pass ? passLine(pass) : 'Dreaming did not start. For the reason: memory daemon logs')
    return pass ?? started
  }
}
