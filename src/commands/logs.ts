import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { followLogs } from '../cli/operations/follow-logs.js'
import { logEntryText } from '../cli/operations/log-entry-text.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../cli/terminal/output.js'
import { whileRead } from '../cli/terminal/while-read.js'
import type { Reply } from '../contract/api.js'

type Entry = Reply<'GET /api/logs'>['logs'][number]

export default class Logs extends DaemonCommand {
  static override summary = 'Show what the daemon said last, and what it says.'
  static override description =
    'The newest entries that the daemon keeps in memory since it started, without the details of its file: ' +
    'memory daemon logs shows that, also while no daemon runs. With --follow --json one JSON object a line.'
  static override examples = [
    '<%= config.bin %> logs --level warn --since 1h',
    '<%= config.bin %> logs -f --category sources',
  ]
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Go on with what comes until Ctrl-C.' }),
    level: Flags.option({
      options: ['debug', 'info', 'warn', 'error'] as const,
      summary: 'This level and those above it.',
    })(),
    category: Flags.string({
      summary: 'Of this part of the daemon, such as git or index.',
      helpValue: 'NAME',
    }),
    since: momentFlag({ summary: 'Only from then on (date, 1h, yesterday).' }),
    limit: Flags.integer({ char: 'n', summary: 'How many at most.', default: 100, min: 1, max: 2000 }),
  }

  async run(): Promise<Reply<'GET /api/logs'> | undefined> {
    const { follow, since, ...filter } = (await this.parse(Logs)).flags
    const { level, category, limit } = filter
    const query = { level, category, limit, since: momentOf('--since', since) }
    if (!follow) {
      const found = await this.call('GET /api/logs', { query })
      if (!this.jsonEnabled()) this.tell(found.logs)
      return found
    }
    // A daemon that somebody stops while this goes on stays stopped, and this ends with it.
    await this.call('GET /health')
    const reach = { ...this.globals, autostart: false, signal: whileRead() }
    for await (const event of followLogs(query, reach)) {
      if (this.jsonEnabled()) print(JSON.stringify(event))
      else if ('type' in event) printNote(`${event.count} entries were too many to be shown`)
      else this.tell([event])
    }
    return undefined
  }

  /** Lines as they come are what --follow --json prints; there is no value at the end. */
  protected override logJson(value: unknown): void {
    if (value !== undefined) super.logJson(value)
  }

  private tell(entries: readonly Entry[]): void {
    const colors = colorsFor()
    for (const entry of entries) print(logEntryText(entry, colors))
    if (entries.length === 0) printNote('nothing was said; memory daemon logs shows the file of the daemon')
  }
}
