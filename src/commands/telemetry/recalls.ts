import { Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../../cli/consent/consent.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { type Colors, colorsFor, onTerminal, print, printNote } from '../../cli/terminal/output.js'
import { formatMs, plainLine } from '../../cli/terminal/text.js'
import type { Reply, Request } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatShortAge } from '../../lib/time/age.js'

type RecordedRecall = Reply<'GET /api/telemetry/memory-search'>['items'][number]

type RecallList = Reply<'GET /api/telemetry/memory-search'>
type DeletedRecalls = Reply<'DELETE /api/telemetry/memory-search'>
type Filter = NonNullable<Request<'DELETE /api/telemetry/memory-search'>['query']>

const nextSteps = ['omit --delete to see what would be deleted', 'add --yes to delete them']

export default class TelemetryRecalls extends DaemonCommand {
  static override summary = 'Show recorded recalls: their queries and results.'
  static override description =
    'Recalls are recorded with their text only if telemetry.memorySearchQaEnabled is true, and are kept on ' +
    'this machine for 30 days. Newest first. When piped, prints one recall per line with tab-separated ' +
    'fields: time, agent, route, rows, best score, milliseconds, query.'
  static override examples = [
    '<%= config.bin %> config set telemetry.memorySearchQaEnabled true',
    '<%= config.bin %> telemetry recalls --since 1d --no-hits',
    '<%= config.bin %> telemetry recalls --rows -n 5',
    '<%= config.bin %> telemetry recalls --delete',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only recalls from this time on (date, 1h, yesterday).' }),
    until: momentFlag({ summary: 'Only recalls up to this time.' }),
    session: Flags.string({ summary: 'Only recalls of this session.', helpValue: 'KEY' }),
    route: Flags.string({ summary: 'Only recalls sent to this path.', helpValue: 'PATH' }),
    'no-hits': Flags.boolean({ summary: 'Only recalls that found nothing.' }),
    rows: Flags.boolean({ summary: 'Show the results of each recall.' }),
    limit: Flags.integer({ char: 'n', summary: 'Maximum number of recalls.', default: 20, min: 1, max: 500 }),
    delete: Flags.boolean({ summary: 'Permanently delete all matching recalls.', exclusive: ['rows'] }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', dependsOn: ['delete'] }),
  }

  async run(): Promise<RecallList | DeletedRecalls> {
    const { flags } = await this.parse(TelemetryRecalls)
    const filter: Filter = {
      since: momentOf('--since', flags.since),
      until: momentOf('--until', flags.until),
      session_key: flags.session,
      route: flags.route,
      ...(flags['no-hits'] && { no_hits: true }),
    }
    if (flags.delete) return this.deleteRecalls(filter, flags.yes)
    const reply = await this.call('GET /api/telemetry/memory-search', {
      query: { ...filter, limit: flags.limit },
    })
    if (!this.jsonEnabled()) show(reply, flags.rows)
    return reply
  }

  private async deleteRecalls(query: Filter, yes: boolean): Promise<DeletedRecalls> {
    const json = this.jsonEnabled()
    if (asksFirst({ yes, json, nextSteps })) await requireConsent(await this.preview(query))
    const reply = await this.call('DELETE /api/telemetry/memory-search', { query })
    if (!json) print(`${colorsFor().green('✓')} Deleted ${countOf(reply.deleted, 'recorded recall')}`)
    return reply
  }

  private async preview(filter: Filter): Promise<{ lines: string[]; question: string }> {
    const { items } = await this.call('GET /api/telemetry/memory-search', {
      query: { ...filter, limit: 500 },
    })
    const text = recallsText(items.slice(0, 10), {
      colors: colorsFor(),
      tabs: false,
      now: Date.now(),
      rows: false,
    })
    const many =
      items.length === 500 ? '500 or more recorded recalls' : countOf(items.length, 'recorded recall')
    return {
      lines: [...text.split('\n'), ...(items.length > 10 ? ['...'] : [])],
      question: `Permanently delete ${many}?`,
    }
  }
}

function show({ items, enabled }: RecallList, rows: boolean): void {
  const colors = colorsFor()
  if (items.length > 0)
    print(recallsText(items, { colors, tabs: !process.stdout.isTTY, now: Date.now(), rows }))
  if (!enabled)
    printNote(
      'Recalls are not recorded. To record them: memory config set telemetry.memorySearchQaEnabled true',
    )
  else if (items.length === 0) printNote('No matching recorded recalls.')
}

/**
 * Formats recalls with their rows; in a pipe one line each: time, agent, route, rows, best score,
 * milliseconds, query.
 */
function recallsText(
  items: readonly RecordedRecall[],
  { colors, tabs, now, rows }: { colors: Colors; tabs: boolean; now: number; rows: boolean },
): string {
  return items
    .flatMap(item =>
      tabs
        ? [pipeLine(item)]
        : [...headerLines(item, colors, now), ...(rows ? resultLines(item, colors) : [])],
    )
    .join('\n')
}

function pipeLine(item: RecordedRecall): string {
  const { created_at, agent_id, route, result_count, top_score, duration_ms, query } = item
  return [
    created_at,
    plainLine(agent_id),
    route,
    result_count,
    top_score?.toFixed(2) ?? '',
    duration_ms,
    plainLine(query),
  ].join('\t')
}

function headerLines(item: RecordedRecall, colors: Colors, now: number): string[] {
  const { created_at, agent_id, result_count, top_score, duration_ms, query } = item
  const found = item.no_hits
    ? colors.yellow('nothing found')
    : `${result_count} found, best ${top_score?.toFixed(2)}`
  const line = `${colors.dim(formatShortAge(created_at, now))}  ${colors.bold(plainLine(query))}`
  return [
    ...onTerminal(line),
    ...onTerminal(`    ${found}  ${colors.dim(`${formatMs(duration_ms)}  ${plainLine(agent_id)}`)}`),
  ]
}

function resultLines({ results }: RecordedRecall, colors: Colors): string[] {
  return results.flatMap(({ rank, score, id, content }) =>
    onTerminal(
      `    ${rank}. ${colors.dim(score.toFixed(2))} ${content === null ? colors.dim(`${id} (text not recorded)`) : plainLine(content)}`,
    ),
  )
}
