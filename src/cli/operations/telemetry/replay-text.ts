import type { Replayed, ReplaySummary } from '../../../contract/operations/recall-replay.js'
import { countOf } from '../../../lib/text/count-of.js'
import { type Colors, onTerminal } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

/** What came out of one question that is not as it was: a line a row. */
export function replayedText({ query, status, found, lost, moved }: Replayed, colors: Colors): string {
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
export function replaySumText({ queries, same, changed, skipped, ...rows }: ReplaySummary): string {
  const { found, lost, moved, no_hits } = rows
  return [
    `${countOf(queries, 'query', 'queries')}: ${same} as before, ${changed} changed${skipped > 0 ? `, ${skipped} not asked` : ''}`,
    `rows: ${found} found, ${lost} lost, ${moved} moved; without any: ${no_hits.before} before, ${no_hits.after} now`,
  ].join('\n')
}
