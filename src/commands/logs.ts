import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { type Colors, colorsFor, print, printNote } from '../cli/terminal/output.js'
import { whileRead } from '../cli/terminal/spinner.js'
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

/**
 * What the daemon said last and then what it says, each once, until it stops or the signal of the options aborts.
 * @throws ClientError as `call` does.
 */
async function* followLogs(
  { level, category, ...rest }: NonNullable<Request<'GET /api/logs'>['query']>,
  options: CallOptions,
): AsyncGenerator<FollowedEvent> {
  // The stream begins before the list is asked for, so that nothing is missed between them; what is in both is left out.
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

/** An entry of the log on a line: time, level, category, message. */
function logEntryText(
  { at, level, category, message }: Reply<'GET /api/logs'>['logs'][number],
  colors: Colors,
): string {
  return `${colors.dim(at)} ${colors[colorOf[level]](level.padEnd(5))} ${colors.cyan(category)} ${plainLine(message)}`
}
