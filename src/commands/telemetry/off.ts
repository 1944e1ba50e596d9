import { CliCommand } from '../../cli/shell/cli-command.js'

export default class TelemetryOff extends CliCommand {
  static override summary = 'Stop recording usage events.'
  static override description =
    'Sets memory.pipelineV2.telemetryEnabled in agent.yaml; a running daemon applies it at once. Recorded ' +
    'events are kept until they are 90 days old.'
  static override examples = ['<%= config.bin %> telemetry off']

  async run(): Promise<{ enabled: boolean; file: string }> {
    await this.parse(TelemetryOff)
    const { switchRecording } = await import('../../cli/operations/telemetry/switch-recording.js')
    return switchRecording(this.globals.workspace, { enabled: false, json: this.jsonEnabled() })
  }
}
