import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, showOutput } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

/** Covers the daemon's time limit for the script and the request itself. */
const timeoutMs = 75_000

export default class HarnessesRegenerate extends DaemonCommand {
  static override summary = "Regenerate configuration files of coding agents with the workspace's script."
  static override description =
    'Runs scripts/generate-harness-configs.py of the workspace with Python 3, for at most 60 seconds.'
  static override examples = ['<%= config.bin %> harnesses regenerate']

  async run(): Promise<Reply<'POST /api/harnesses/regenerate'>> {
    await this.parse(HarnessesRegenerate)
    const reply = await this.call(
      'POST /api/harnesses/regenerate',
      {},
      { timeoutMs, waitingFor: 'running generate-harness-configs.py' },
    )
    if (!this.jsonEnabled()) showOutput(reply.output)
    if (!reply.success)
      throw new CliError(reply.error ?? reply.message, {
        code: 'regenerate_failed',
        exit: 'failure',
        details: { output: reply.output },
      })
    if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} ${reply.message}`)
    return reply
  }
}
