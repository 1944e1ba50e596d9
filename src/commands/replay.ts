import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { type RecallReplay, replayInSteps } from '../cli/operations/replay.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { type Colors, colorsFor, onTerminal, print, printNote } from '../cli/terminal/output.js'
import { plainLine } from '../cli/terminal/text.js'
import type { ReplayResult, ReplaySummary } from '../contract/operations/recall-records.js'
import { countOf } from '../lib/text/count-of.js'

export default class Replay extends DaemonCommand {
  static override summary = 'Repeat recorded queries with the current settings and compare the results.'
  static override description =
    'Recalls are recorded if telemetry.memorySearchQaEnabled is true (memory telemetry recalls). Repeating ' +
    'them counts and records nothing. Rows are marked + found, - lost or ~ moved; (new) and (gone) mark ' +
    'memories saved or forgotten since. Ctrl-C stops after the running queries and reports the results so ' +
    'far.'
  static override examples = [
    '<%= config.bin %> replay --since 7d',
    '<%= config.bin %> replay --session my-session --all',
    '<%= config.bin %> replay -n 500 --json > replay.json',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only queries from this time on (date, 1h, yesterday).' }),
    until: momentFlag({ summary: 'Only queries up to this time.' }),
    session: Flags.string({ summary: 'Only queries of this session.', helpValue: 'KEY' }),
    route: Flags.string({ summary: 'Only queries sent to this path.', helpValue: 'PATH' }),
    'no-hits': Flags.boolean({ summary: 'Only queries that found nothing.' }),
    all: Flags.boolean({ summary: 'Also show queries with unchanged results.' }),
    limit: Flags.integer({
      char: 'n',
      summary: 'Maximum number of queries, newest first.',
      default: 100,
      min: 1,
      max: 5000,
    }),
  }

  async run(): Promise<RecallReplay> {
    const { flags } = await this.parse(Replay)
    const replay = await replayInSteps(
      {
        since: momentOf('--since', flags.since),
        until: momentOf('--until', flags.until),
        session_key: flags.session,
        route: flags.route,
        ...(flags['no-hits'] && { no_hits: true }),
      },
      flags.limit,
      this.globals,
    )
    if (replay.cancelled) process.exitCode = exitCodes.cancelled.code
    if (!this.jsonEnabled()) show(replay, flags.all)
    return replay
  }
}

function show({ results, summary, cancelled }: RecallReplay, all: boolean): void {
  if (results.length === 0 && !cancelled) {
    printNote(
      'No matching recorded queries. To record them: memory config set telemetry.memorySearchQaEnabled true',
    )
    return
  }
  const colors = colorsFor()
  for (const one of results) if (all || one.status !== 'same') print(replayedText(one, colors))
  print(replaySumText(summary))
  if (cancelled) printNote('Cancelled; results so far are shown.')
}

/** Lists the changed rows of one query, one per line. */
function replayedText({ query, status, found, lost, moved }: ReplayResult, colors: Colors): string {
  if (status === 'skipped')
    return onTerminal(
      `${colors.bold(plainLine(query))}  ${colors.dim('skipped: the recorded query is incomplete')}`,
    ).join('\n')
  const said = (content: string | null, id: string): string => plainLine(content ?? id)
  return [
    ...onTerminal(colors.bold(plainLine(query))),
    ...found.flatMap(({ rank, id, content, why }) =>
      onTerminal(
        `  ${colors.green('+')} ${rank}.  ${said(content, id)}${why === 'changed' ? colors.dim(' (new)') : ''}`,
      ),
    ),
    ...lost.flatMap(({ rank, id, content, why }) =>
      onTerminal(
        `  ${colors.red('-')} ${rank}.  ${said(content, id)}${why === 'changed' ? colors.dim(' (gone)') : ''}`,
      ),
    ),
    ...moved.flatMap(({ from, to, id, content }) =>
      onTerminal(`  ${colors.yellow('~')} ${from}. → ${to}.  ${said(content, id)}`),
    ),
  ].join('\n')
}

/** Summarises a replay in two lines. */
function replaySumText({ queries, same, changed, skipped, ...rows }: ReplaySummary): string {
  const { found, lost, moved, no_hits } = rows
  return [
    `${countOf(queries, 'query', 'queries')}: ${same} unchanged, ${changed} changed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    `rows: ${found} found, ${lost} lost, ${moved} moved; queries without results: ${no_hits.before} before, ${no_hits.after} now`,
  ].join('\n')
}
