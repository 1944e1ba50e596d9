import type { RecallRow } from '../../contract/memory.js'
import { clip } from '../../lib/clip.js'

const maxContent = 500

/** Recall results as a text that a model can be given: dated, typed, with ids to read more (spec 1, 4.9). */
export function formatBrief(query: string, results: readonly RecallRow[], withheld = 0): string {
  if (results.length === 0) return emptyBrief(query, withheld)
  const noun = results.length === 1 ? 'memory' : 'memories'
  const heading = `${results.length} ${noun} for "${query}", best first${alsoWithheld(withheld)}:`
  return [heading, ...results.map(lineOf)].join('\n')
}

function emptyBrief(query: string, withheld: number): string {
  return withheld === 0
    ? `No memories match "${query}".`
    : `No further memories match "${query}"${alsoWithheld(withheld)}; includeRecalled brings them back.`
}

function alsoWithheld(count: number): string {
  return count === 0 ? '' : ` (${count} already recalled in this session)`
}

function lineOf(row: RecallRow): string {
  const content = row.source === 'aggregate' ? row.content : clip(row.content, maxContent)
  const id = row.id.startsWith('aggregate:') ? '' : ` (id ${row.id})`
  return `- [${labels(row).join(', ')}] ${content}${id}`
}

function labels(row: RecallRow): string[] {
  const day = row.created_at.slice(0, 10)
  return [
    row.source === 'aggregate' ? 'summary' : row.type,
    day,
    row.who,
    row.pinned ? 'pinned' : null,
    row.currentness === 'superseded' ? `superseded by ${row.superseded_by}` : null,
    row.currentness === 'expired' || row.currentness === 'upcoming' ? row.currentness : null,
    row.recalled ? 'recalled before' : null,
  ].filter(label => label !== null)
}
