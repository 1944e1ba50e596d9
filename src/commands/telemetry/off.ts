import { CliCommand } from '../../cli/shell/cli-command.js'

export default class TelemetryOff extends CliCommand {
  static override summary = 'Record no events of use any more.'
  static override description =
    'Sets memory.pipelineV2.telemetryEnabled; what was recorded stays until it is 90 days old. A running daemon takes it up by itself.'
  static override examples = ['<%= config.bin %> telemetry off']

  async run(): Promise<{ enabled: boolean; file: string }> {
    await this.parse(TelemetryOff)
    const { switchRecording } = await import('../../cli/operations/telemetry/switch-recording.js')
    return switchRecording(this.globals.workspace, { enabled: false, json: this.jsonEnabled() })
  }
}
