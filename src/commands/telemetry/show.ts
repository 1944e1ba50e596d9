import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class TelemetryShow extends DaemonCommand {
  static override summary = 'Show the newest usage events, exactly as stored.'
  static override description =
    'Prints one JSON object per line, oldest first. docs/telemetry.md describes the fields.'
  static override examples = [
    '<%= config.bin %> telemetry show',
    '<%= config.bin %> telemetry show --event recall.performed --since 1h',
  ]
  static override flags = {
    event: Flags.string({ summary: 'Only events of this name.', helpValue: 'NAME' }),
    since: momentFlag({ summary: 'Only events from this time on (date, 1h, yesterday).' }),
    until: momentFlag({ summary: 'Only events up to this time.' }),
    limit: Flags.integer({
      char: 'n',
      summary: 'Maximum number of events.',
      default: 100,
      min: 1,
      max: 10_000,
    }),
  }

  async run(): Promise<Reply<'GET /api/telemetry/events'>> {
    const { event, since, until, limit } = (await this.parse(TelemetryShow)).flags
    const query = { event, limit, since: momentOf('--since', since), until: momentOf('--until', until) }
    const reply = await this.call('GET /api/telemetry/events', { query })
    if (this.jsonEnabled()) return reply
    for (const one of reply.events) print(JSON.stringify(one))
    if (reply.events.length === 0)
      printNote(reply.enabled ? 'No events yet.' : 'No events; telemetry is off. Next: memory telemetry on')
    return reply
  }
}
