import { CliCommand } from '../../cli/shell/cli-command.js'

export default class TelemetryOn extends CliCommand {
  static override summary = 'Record usage events on this machine.'
  static override description =
    'Sets memory.pipelineV2.telemetryEnabled in agent.yaml. SERVICE_TELEMETRY_OPTOUT=1 in the environment of ' +
    'the daemon overrides it.'
  static override examples = ['<%= config.bin %> telemetry on']

  async run(): Promise<{ enabled: boolean; file: string }> {
    await this.parse(TelemetryOn)
    const { switchRecording } = await import('../../cli/operations/telemetry/switch-recording.js')
    return switchRecording(this.globals.workspace, { enabled: true, json: this.jsonEnabled() })
  }
}
