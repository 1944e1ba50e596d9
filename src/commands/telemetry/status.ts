import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { formatDuration, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TelemetryStatus extends DaemonCommand {
  static override summary = 'Show whether usage events are recorded and sent.'
  static override examples = ['<%= config.bin %> telemetry status']

  async run(): Promise<Reply<'GET /api/telemetry/health'>> {
    await this.parse(TelemetryStatus)
    const health = await this.call('GET /api/telemetry/health')
    if (this.jsonEnabled()) return health
    const age = health.lastDaemonEventAgeSec
    const sent = health.lastSuccessfulDeliveryAgeSec
    print(`recording   ${health.enabled ? 'on' : 'off'}`)
    print(`sent        ${sentText(health)}`)
    if (health.deliveryConfigured) {
      print(`last sent   ${sent === null ? 'nothing yet' : `${formatDuration(sent)} ago`}`)
      print(
        `unsent      ${health.queuedUnsentEventCount}${health.backoffActive ? ', paused after failures' : ''}`,
      )
    }
    print(`last event  ${age === null ? 'none yet' : `${formatDuration(age)} ago`}`)
    print(`waiting     ${health.bufferedEventCount}, lost ${health.droppedEventCount}`)
    print(health.enabled ? 'Next: memory telemetry show, memory telemetry off' : 'Next: memory telemetry on')
    return health
  }
}

function sentText({
  deliveryConfigured,
  enabled,
  status,
  consecutiveFailures,
}: Reply<'GET /api/telemetry/health'>): string {
  if (!deliveryConfigured) return 'nothing: events stay on this machine'
  if (!enabled) return 'nothing while recording is off'
  const failing = consecutiveFailures > 0 ? `, ${consecutiveFailures} failed attempts in a row` : ''
  return `to telemetry.delivery.url in agent.yaml (${status}${failing})`
}
