import type { RecallRow } from '../../../../contract/memory/memory.js'
import { harmless } from '../../../../lib/text/harmless.js'
import { label, oneLine } from '../../../../lib/text/one-line.js'
import { trail } from '../../../../lib/text/trail.js'

const maxContent = 500
const maxQuery = 200
const maxMoved = 3
/** Longer than the longest summary. */
const maxSummaryLine = 10_000

/**
 * Formats recall results as text for a model: dated, typed, with ids for follow-up requests (recall.md 4.9).
 * Text from callers stays in its line and can't close an element of the service.
 */
export function formatRecallText(asked: string, results: readonly RecallRow[], withheld = 0): string {
  const query = harmless(oneLine(asked, maxQuery))
  if (results.length === 0) return emptyText(query, withheld)
  const noun = results.length === 1 ? 'memory' : 'memories'
  const heading = `${results.length} ${noun} for "${query}", best first${alsoWithheld(withheld)}:`
  return [heading, ...results.map(lineOf)].join('\n')
}

function emptyText(query: string, withheld: number): string {
  return withheld === 0
    ? `No memories match "${query}".`
    : `No further memories match "${query}"${alsoWithheld(withheld)}; set includeRecalled to get them again.`
}

function alsoWithheld(count: number): string {
  return count === 0 ? '' : ` (${count} already recalled in this session)`
}

function lineOf(row: RecallRow): string {
  const content = row.source === 'aggregate' ? summaryOf(row) : oneLine(row.content, maxContent)
  const id = /^(?:aggregate|entity):/u.test(row.id) ? '' : ` (id ${label(row.id)})`
  return harmless(`- [${labels(row).join(', ')}] ${content}${id}`)
}

/** The line breaks of a summary are the service's own; its content is not trusted. */
function summaryOf({ content }: RecallRow): string {
  return content
    .split('\n')
    .map(line => oneLine(line, maxSummaryLine))
    .join('\n')
}

/** Names code that the memory mentions and that has changed since. */
function movedLabel({ code = [] }: RecallRow): string | null {
  const moved = code.filter(({ state }) => state !== 'here').slice(0, maxMoved)
  return moved.length === 0
    ? null
    : moved.map(({ target, state }) => `${label(target)} ${state} since`).join('; ')
}

function labels(row: RecallRow): string[] {
  const day = row.created_at.slice(0, 10)
  return [
    row.source === 'aggregate' ? 'summary' : row.type,
    day,
    placeOf(row),
    row.who === null ? null : label(row.who),
    row.pinned ? 'pinned' : null,
    row.currentness === 'superseded' ? `superseded by ${label(row.superseded_by ?? '')}` : null,
    row.currentness === 'expired' || row.currentness === 'upcoming' ? row.currentness : null,
    movedLabel(row),
    row.recalled ? 'recalled before' : null,
  ].filter(label => label !== null)
}

/** Document of a chunk and its location there. */
function placeOf({ document }: RecallRow): string | null {
  const place = trail([document?.title, document?.heading, document?.page])
  return place ? label(place) : null
}
