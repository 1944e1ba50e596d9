import { Flags } from '@oclif/core'
import { type DreamStatus, passLine } from '../../cli/knowledge/dream.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { askUntil } from '../../cli/terminal/ask-until.js'
import { print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress-bar.js'
import { call } from '../../client/call.js'
import { countOf } from '../../lib/text/count-of.js'

export default class DreamRun extends DaemonCommand {
  static override summary = 'Read what was said since the last time now.'
  static override description =
    'The daemon does so by itself as dreaming.schedule says. Nothing that was saved is changed; every value has the quotes that say it, and what is unsure waits for you: memory ontology proposals.'
  static override examples = ['<%= config.bin %> dream run --wait']
  static override flags = {
    wait: Flags.boolean({ summary: 'Wait until it is read. The exit code is 1 if that failed.' }),
  }

  async run() {
    const { flags } = await this.parse(DreamRun)
    const told = await this.call('POST /api/dream/trigger')
    if (!flags.wait) {
      if (!this.jsonEnabled()) print(`A pass is on its way (job ${told.jobId}); memory dream status shows it`)
      return told
    }
    const { passes } = await followDream(() => call('GET /api/dream/status', {}, this.globals))
    const pass = passes.find(({ jobId }) => jobId === told.jobId)
    if (pass?.outcome !== 'completed') process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled())
      print(pass ? passLine(pass) : 'The pass did not begin; memory daemon logs says why')
    return pass ?? told
  }
}

/** Waits until no pass runs or waits any more, and tells how far the one in hand is. */
async function followDream(look: () => Promise<DreamStatus>): Promise<DreamStatus> {
  const bar = startProgressBar()
  try {
    return await askUntil(look, ({ jobId, passes }) => {
      if (jobId === null) return true
      const [pass] = passes
      const read = pass?.outcome === 'running' ? (pass.counts.pieces ?? 0) : undefined
      bar.update(read === undefined ? 'waiting for its turn' : `${countOf(read, 'piece')} read`)
      return false
    })
  } finally {
    bar.stop()
  }
}
