import type { RecallRow } from '../../contract/memory.js'

const maxContent = 500

/** Recall results as a text that a model can be given: dated, typed, with ids to read more (spec 1, 4.9). */
export function formatBrief(query: string, results: readonly RecallRow[]): string {
  if (results.length === 0) return `No memories match "${query}".`
  const lines = results.map(row => `- [${labels(row).join(', ')}] ${shortened(row.content)} (id ${row.id})`)
  const noun = results.length === 1 ? 'memory' : 'memories'
  return [`${results.length} ${noun} for "${query}", best first:`, ...lines].join('\n')
}

function labels(row: RecallRow): string[] {
  const day = row.created_at.slice(0, 10)
  return [
    row.type,
    day,
    row.who,
    row.pinned ? 'pinned' : null,
    row.superseded_by ? 'superseded' : null,
  ].filter(label => label !== null)
}

function shortened(content: string): string {
  return content.length <= maxContent ? content : `${content.slice(0, maxContent).trimEnd()}…`
}
