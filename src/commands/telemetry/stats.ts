import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, formatFields, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TelemetryStats extends DaemonCommand {
  static override summary = 'Summarise usage events: recalls, models, Dreaming, sessions and background work.'
  static override description =
    'Counted by the hour for the last week, and by the day before that. --json prints all figures, like GET ' +
    '/api/telemetry/stats.'
  static override examples = [
    '<%= config.bin %> telemetry stats',
    '<%= config.bin %> telemetry stats --since 7d',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only events from this time on (date, 1h, yesterday).' }),
  }

  async run(): Promise<Reply<'GET /api/telemetry/stats'>> {
    const { since } = (await this.parse(TelemetryStats)).flags
    const query = { since: momentOf('--since', since) }
    const stats = await this.call('GET /api/telemetry/stats', { query })
    if (this.jsonEnabled()) return stats
    const { statsFields } = await import('../../cli/operations/telemetry/stats.js')
    print(formatFields(statsFields(stats), colorsFor()))
    return stats
  }
}
