import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TelemetryExport extends DaemonCommand {
  static override summary = 'Print the newest usage events as JSON Lines, oldest first.'
  static override description =
    'Prints up to 10,000 events, also while telemetry is off. For up to 100,000: GET /api/telemetry/export.'
  static override examples = ['<%= config.bin %> telemetry export --since 7d > events.jsonl']
  static override flags = {
    since: momentFlag({ summary: 'Only events from this time on (date, 1h, yesterday).' }),
    limit: Flags.integer({
      char: 'n',
      summary: 'Maximum number of events.',
      default: 10_000,
      min: 1,
      max: 10_000,
    }),
  }

  async run(): Promise<Reply<'GET /api/telemetry/events'>['events']> {
    const { since, limit } = (await this.parse(TelemetryExport)).flags
    const query = { limit, since: momentOf('--since', since) }
    const { events } = await this.call('GET /api/telemetry/events', { query })
    if (this.jsonEnabled()) return events
    for (const one of events) print(JSON.stringify(one))
    printNote(`${events.length} events`)
    return events
  }
}
