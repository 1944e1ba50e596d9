import { DaemonCommand } from '../../cli/daemon-command.js'
import { print } from '../../cli/output.js'
import type { Reply } from '../../contract/api.js'

export default class TelemetryStatus extends DaemonCommand {
  static override summary = 'Show whether events of use are recorded, and that they stay on this machine.'
  static override examples = ['<%= config.bin %> telemetry status']

  async run(): Promise<Reply<'GET /api/telemetry/health'>> {
    await this.parse(TelemetryStatus)
    const health = await this.call('GET /api/telemetry/health')
    if (this.jsonEnabled()) return health
    const age = health.lastDaemonEventAgeSec
    print(`recording   ${health.enabled ? 'on' : 'off'}`)
    print('sent        nothing: events stay on this machine')
    print(`last event  ${age === null ? 'none yet' : `${age} s ago`}`)
    print(`waiting     ${health.bufferedEventCount}, lost ${health.droppedEventCount}`)
    print(health.enabled ? 'Next: memory telemetry show, memory telemetry off' : 'Next: memory telemetry on')
    return health
  }
}
