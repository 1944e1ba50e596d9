import { Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../../cli/consent/consent.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { type Colors, colorsFor, onTerminal, print, printNote } from '../../cli/terminal/output.js'
import { formatMs, plainLine } from '../../cli/terminal/text.js'
import type { Reply, Request } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatShortAge } from '../../lib/time/age.js'

type Recorded = Reply<'GET /api/telemetry/memory-search'>['items'][number]

type Listed = Reply<'GET /api/telemetry/memory-search'>
type Dropped = Reply<'DELETE /api/telemetry/memory-search'>
type Filter = NonNullable<Request<'DELETE /api/telemetry/memory-search'>['query']>

/** For whoever can't be asked. */
const nextSteps = ['without --delete it shows what would go', 'add --yes to delete them']

export default class TelemetryRecalls extends DaemonCommand {
  static override summary = 'Show recorded recalls: what was asked, and what was found.'
  static override description =
    'Recalls are recorded only where telemetry.memorySearchQaEnabled is true, with their words, and stay on this machine for 30 days. Newest first. In a pipe: one line a recall with tab-separated fields: time, agent, route, rows, best score, milliseconds, question.'
  static override examples = [
    '<%= config.bin %> config set telemetry.memorySearchQaEnabled true',
    '<%= config.bin %> telemetry recalls --since 1d --no-hits',
    '<%= config.bin %> telemetry recalls --rows -n 5',
    '<%= config.bin %> telemetry recalls --delete',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only from then on (date, 1h, yesterday).' }),
    until: momentFlag({ summary: 'Only up to then.' }),
    session: Flags.string({ summary: 'Of this session alone.', helpValue: 'KEY' }),
    route: Flags.string({ summary: 'Asked at this path alone.', helpValue: 'PATH' }),
    'no-hits': Flags.boolean({ summary: 'Only those that found nothing.' }),
    rows: Flags.boolean({ summary: 'Show what each found.' }),
    limit: Flags.integer({ char: 'n', summary: 'How many at most.', default: 20, min: 1, max: 500 }),
    delete: Flags.boolean({ summary: 'Delete all that fit, for good.', exclusive: ['rows'] }),
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y', dependsOn: ['delete'] }),
  }

  async run(): Promise<Listed | Dropped> {
    const { flags } = await this.parse(TelemetryRecalls)
    const filter: Filter = {
      since: momentOf('--since', flags.since),
      until: momentOf('--until', flags.until),
      session_key: flags.session,
      route: flags.route,
      ...(flags['no-hits'] && { no_hits: true }),
    }
    if (flags.delete) return this.drop(filter, flags.yes)
    const reply = await this.call('GET /api/telemetry/memory-search', {
      query: { ...filter, limit: flags.limit },
    })
    if (!this.jsonEnabled()) show(reply, flags.rows)
    return reply
  }

  private async drop(query: Filter, yes: boolean): Promise<Dropped> {
    const json = this.jsonEnabled()
    if (asksFirst({ yes, json, nextSteps })) await requireConsent(await this.preview(query))
    const dropped = await this.call('DELETE /api/telemetry/memory-search', { query })
    if (!json) print(`${colorsFor().green('✓')} ${countOf(dropped.deleted, 'recorded recall')} deleted`)
    return dropped
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
      question: `Delete ${many} for good?`,
    }
  }
}

function show({ items, enabled }: Listed, rows: boolean): void {
  const colors = colorsFor()
  if (items.length > 0)
    print(recallsText(items, { colors, tabs: !process.stdout.isTTY, now: Date.now(), rows }))
  if (!enabled)
    printNote('Recalls are not recorded. Next: memory config set telemetry.memorySearchQaEnabled true')
  else if (items.length === 0) printNote('No recorded recall fits.')
}

/** A question and its rows; in a pipe a line a question: time, agent, route, rows, best score, milliseconds, question. */
function recallsText(
  items: readonly Recorded[],
  { colors, tabs, now, rows }: { colors: Colors; tabs: boolean; now: number; rows: boolean },
): string {
  return items
    .flatMap(item =>
      tabs ? [tabbed(item)] : [...headOf(item, colors, now), ...(rows ? rowsOf(item, colors) : [])],
    )
    .join('\n')
}

function tabbed(item: Recorded): string {
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

function headOf(item: Recorded, colors: Colors, now: number): string[] {
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

function rowsOf({ results }: Recorded, colors: Colors): string[] {
  return results.flatMap(({ rank, score, id, content }) =>
    onTerminal(
      `    ${rank}. ${colors.dim(score.toFixed(2))} ${content === null ? colors.dim(`${id} (no text is kept)`) : plainLine(content)}`,
    ),
  )
}
