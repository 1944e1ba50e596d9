import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { type Colors, colorsFor, print, printNote } from '../cli/terminal/output.js'
import { signalOfReader } from '../cli/terminal/progress.js'
import { plainLine } from '../cli/terminal/text.js'
import { call } from '../client/call.js'
import type { CallOptions } from '../client/http/call-options.js'
import { eventData, openLogStream } from '../client/stream.js'
import type { Reply, Request } from '../contract/api.js'

const colorOf = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

type Event = Reply<'GET /api/logs/stream'>

type FollowedEvent = Exclude<Event, { type: 'connected' }>

type Entry = Reply<'GET /api/logs'>['logs'][number]

export default class Logs extends DaemonCommand {
  static override summary = 'Show daemon logs; -f follows.'
  static override description =
    'Shows the newest entries that the daemon holds in memory since its start, without details. For the log ' +
    'file with all details, also while the daemon is stopped: memory daemon logs. With --follow --json, ' +
    'prints one JSON object per line.'
  static override examples = [
    '<%= config.bin %> logs --level warn --since 1h',
    '<%= config.bin %> logs -f --category sources',
  ]
  static override flags = {
    follow: Flags.boolean({ char: 'f', summary: 'Keep printing new entries until Ctrl-C.' }),
    level: Flags.option({
      options: ['debug', 'info', 'warn', 'error'] as const,
      summary: 'Only entries of this level and above.',
    })(),
    category: Flags.string({
      summary: 'Only entries of this part of the daemon, such as git or index.',
      helpValue: 'NAME',
    }),
    since: momentFlag({ summary: 'Only entries from this time on (date, 1h, yesterday).' }),
    limit: Flags.integer({
      char: 'n',
      summary: 'Maximum number of entries.',
      default: 100,
      min: 1,
      max: 2000,
    }),
  }

  async run(): Promise<Reply<'GET /api/logs'> | undefined> {
    const { follow, since, ...filter } = (await this.parse(Logs)).flags
    const { level, category, limit } = filter
    const query = { level, category, limit, since: momentOf('--since', since) }
    if (!follow) {
      const found = await this.call('GET /api/logs', { query })
      if (!this.jsonEnabled()) this.printEntries(found.logs)
      return found
    }
    // If the daemon is stopped while this runs, it must not be started again, and this command ends.
    await this.call('GET /health')
    const reach = { ...this.globals, autostart: false, signal: signalOfReader() }
    for await (const event of followLogs(query, reach)) {
      if (this.jsonEnabled()) print(JSON.stringify(event))
      else if ('type' in event) printNote(`Skipped ${event.count} entries that arrived too fast`)
      else this.printEntries([event])
    }
    return undefined
  }

  /** With --follow --json each line is printed as it arrives, without a final value. */
  protected override logJson(value: unknown): void {
    if (value !== undefined) super.logJson(value)
  }

  private printEntries(entries: readonly Entry[]): void {
    const colors = colorsFor()
    for (const entry of entries) print(logEntryText(entry, colors))
    if (entries.length === 0) printNote('No log entries. For the log file: memory daemon logs')
  }
}

/**
 * Yields the daemon's last log entries and then new ones, each once, until it stops or the options' signal
 * aborts.
 * @throws ClientError like `call`.
 */
async function* followLogs(
  { level, category, ...rest }: NonNullable<Request<'GET /api/logs'>['query']>,
  options: CallOptions,
): AsyncGenerator<FollowedEvent> {
  // The stream starts before the list is fetched, so that no entry is missed in between; duplicates are
  // skipped.
  const shown = new Set<string>()
  try {
    for await (const event of eventData<Event>(openLogStream({ level, category }, options))) {
      if (!('type' in event)) {
        if (!shown.delete(JSON.stringify(event))) yield event
      } else if (event.type === 'dropped') yield event
      else {
        const { logs } = await call('GET /api/logs', { query: { level, category, ...rest } }, options)
        for (const entry of logs) {
          shown.add(JSON.stringify(entry))
          yield entry
        }
      }
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}

/** Formats a log entry in one line: time, level, category, message. */
function logEntryText(
  { at, level, category, message }: Reply<'GET /api/logs'>['logs'][number],
  colors: Colors,
): string {
  return `${colors.dim(at)} ${colors[colorOf[level]](level.padEnd(5))} ${colors.cyan(category)} ${plainLine(message)}`
}
