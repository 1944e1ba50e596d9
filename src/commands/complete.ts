import { Args } from '@oclif/core'
import { type CompletedKind, completedKinds, completions } from '../cli/completion/completions.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { print } from '../cli/terminal/output.js'
import { call } from '../client/call.js'
import { ClientError } from '../client/http/client-error.js'

/** A shell waits for this while a person types. */
const patienceMs = 1500

export default class Complete extends DaemonCommand {
  static override hidden = true
  static override summary = 'Print names for a shell completion, one per line.'
  static override description =
    'Used by the scripts of memory completion. Starts no daemon; without one, only settings are known.'
  static override args = {
    kind: Args.string({ description: 'Kind of the names.', options: [...completedKinds], required: true }),
  }

  async run(): Promise<{ values: string[] }> {
    const kind = (await this.parse(Complete)).args.kind as CompletedKind
    const options = { ...this.globals, autostart: false, timeoutMs: patienceMs }
    const values = await completions(kind, (address, request) => call(address, request, options)).catch(
      error => {
        if (error instanceof ClientError) return []
        throw error
      },
    )
    if (!this.jsonEnabled() && values.length > 0) print(values.join('\n'))
    return { values }
  }
}
