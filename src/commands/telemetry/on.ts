import { CliCommand } from '../../cli/cli-command.js'
import { print } from '../../cli/output.js'

export default class TelemetryOn extends CliCommand {
  static override summary = 'Record events of use on this machine again.'
  static override description =
    'Sets memory.pipelineV2.telemetryEnabled; SERVICE_TELEMETRY_OPTOUT=1 in the environment of the daemon still wins.'
  static override examples = ['<%= config.bin %> telemetry on']

  async run(): Promise<{ enabled: boolean; file: string }> {
    await this.parse(TelemetryOn)
    const { recordEvents } = await import('../../cli/operations/telemetry/record-events.js')
    const file = recordEvents(this.globals.workspace, true)
    if (!this.jsonEnabled()) print(`Events are recorded, on this machine alone  (${file})`)
    return { enabled: true, file }
  }
}
