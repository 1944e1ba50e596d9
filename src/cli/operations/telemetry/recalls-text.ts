import type { Reply } from '../../../contract/api.js'
import { formatShortAge } from '../../../lib/time/age.js'
import { type Colors, onTerminal } from '../../terminal/output.js'
import { formatMs, plainLine } from '../../terminal/text.js'

type Recorded = Reply<'GET /api/telemetry/memory-search'>['items'][number]

/** A question and its rows; in a pipe a line a question: time, agent, route, rows, best score, milliseconds, question. */
export function recallsText(
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
