import { CliCommand } from '../../cli/cli-command.js'
import { print } from '../../cli/output.js'

export default class TelemetryOff extends CliCommand {
  static override summary = 'Record no events of use any more.'
  static override description =
    'Sets memory.pipelineV2.telemetryEnabled; what was recorded stays until it is 90 days old. A running daemon takes it up by itself.'
  static override examples = ['<%= config.bin %> telemetry off']

  async run(): Promise<{ enabled: boolean; file: string }> {
    await this.parse(TelemetryOff)
    const { recordEvents } = await import('../../cli/operations/telemetry/record-events.js')
    const file = recordEvents(this.globals.workspace, false)
    if (!this.jsonEnabled()) print(`Events are no longer recorded  (${file})`)
    return { enabled: false, file }
  }
}
