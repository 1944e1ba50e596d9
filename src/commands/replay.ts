import { Flags } from '@oclif/core'
import { momentFlag, momentOf } from '../cli/memory/flags.js'
import { type RecallReplay, replayInSteps } from '../cli/operations/replay.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { type Colors, colorsFor, onTerminal, print, printNote } from '../cli/terminal/output.js'
import { plainLine } from '../cli/terminal/text.js'
import type { Replayed, ReplaySummary } from '../contract/operations/recall-records.js'
import { countOf } from '../lib/text/count-of.js'

export default class Replay extends DaemonCommand {
  static override summary =
    'Ask recorded questions again under the settings of now: what is found, lost and moved.'
  static override description =
    'Recalls are recorded where telemetry.memorySearchQaEnabled is true (memory telemetry recalls). Nothing is counted or recorded by asking again. Rows are marked + found, - lost, ~ moved; (new) and (gone) are memories that were saved or forgotten since. Ctrl-C ends it after the questions in hand and tells of those until then.'
  static override examples = [
    '<%= config.bin %> replay --since 7d',
    '<%= config.bin %> replay --session my-session --all',
    '<%= config.bin %> replay -n 500 --json > replay.json',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only questions from then on (date, 1h, yesterday).' }),
    until: momentFlag({ summary: 'Only questions up to then.' }),
    session: Flags.string({ summary: 'Of this session alone.', helpValue: 'KEY' }),
    route: Flags.string({ summary: 'Asked at this path alone.', helpValue: 'PATH' }),
    'no-hits': Flags.boolean({ summary: 'Only those that found nothing.' }),
    all: Flags.boolean({ summary: 'Show those that are as before too.' }),
    limit: Flags.integer({ char: 'n', summary: 'The newest so many.', default: 100, min: 1, max: 5000 }),
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
    printNote('No recorded question fits. Next: memory config set telemetry.memorySearchQaEnabled true')
    return
  }
  const colors = colorsFor()
  for (const one of results) if (all || one.status !== 'same') print(replayedText(one, colors))
  print(replaySumText(summary))
  if (cancelled) printNote('Ended by you; what was asked until then is told.')
}

/** What came out of one question that is not as it was: a line a row. */
function replayedText({ query, status, found, lost, moved }: Replayed, colors: Colors): string {
  if (status === 'skipped')
    return onTerminal(
      `${colors.bold(plainLine(query))}  ${colors.dim('not asked: it is not kept whole')}`,
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

/** All of it in two lines. */
function replaySumText({ queries, same, changed, skipped, ...rows }: ReplaySummary): string {
  const { found, lost, moved, no_hits } = rows
  return [
    `${countOf(queries, 'query', 'queries')}: ${same} as before, ${changed} changed${skipped > 0 ? `, ${skipped} not asked` : ''}`,
    `rows: ${found} found, ${lost} lost, ${moved} moved; without any: ${no_hits.before} before, ${no_hits.after} now`,
  ].join('\n')
}
