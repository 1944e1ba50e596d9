import { firstHolder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { type AgentPiece, type EvidenceDeps, type EvidenceStream, maxPieceCharacters } from './evidence.js'

const batchRows = 50

/** What was drawn from memories is none of their evidence: it would confirm itself. */
const drawn = ['ontology', 'recall-aggregate']

/** Memories that agents hold, each for every agent that does; compaction summaries are memories too. */
export const memories: EvidenceStream = {
  name: 'memories',
  place: 'dream-memories',
  next: async (deps, place) => {
    const changed = await deps.store.tables.memories.afterChange(place, batchRows)
    const last = changed.at(-1)
    if (!last) return undefined
    return {
      pieces: await piecesOfMemories(
        deps,
        changed.map(({ id }) => id),
      ),
      place: String(last.change),
    }
  },
}

/**
 * Memories as pieces, in their order: clean ones that nothing replaced. Chunks of documents are the words of whoever
 * wrote the document, and left out.
 */
export async function piecesOfMemories(
  { store }: EvidenceDeps,
  ids: readonly string[],
): Promise<AgentPiece[]> {
  const loaded = new Map((await store.tables.memories.load(ids)).map(row => [row.id, row]))
  const rows = ids.flatMap(id => loaded.get(id) ?? []).filter(isRead)
  const further = await store.tables.holders.of(
    rows.filter(row => row.further_holders > 0).map(({ id }) => id),
  )
  return rows.flatMap(row => {
    const holders = [firstHolder(row), ...(further.get(row.id) ?? [])]
    const seen = new Set<string>()
    return holders
      .filter(({ agent_id, visibility }) => {
        const isNew = visibility !== 'archived' && !seen.has(agent_id)
        seen.add(agent_id)
        return isNew
      })
      .map(({ agent_id, project }) => pieceOf(row, agent_id, project))
  })
}

function isRead(row: MemoryRow): boolean {
  return (
    row.is_deleted === 0 &&
    row.safety_status === 'clean' &&
    row.superseded_by === null &&
    row.type !== chunkType &&
    !drawn.includes(row.source_type ?? '')
  )
}

function pieceOf(row: MemoryRow, agentId: string, project: string | null): AgentPiece {
  return {
    agentId,
    named: [...row.tags.split(',').filter(Boolean), ...namesIn(row.structured)],
    piece: {
      sourceKind: 'memory',
      sourceId: row.id,
      text: row.content.slice(0, maxPieceCharacters),
      speaker: row.who,
      at: row.occurred_at ?? row.created_at,
      project,
      sessionKey: row.session_id && sessionKeyOf(row.session_id),
    },
  }
}

/** Names of entities in the structured payload of a save, which takes them as words or as objects with a name. */
function namesIn(structured: string | null): string[] {
  if (structured === null) return []
  const { entities = [] } = JSON.parse(structured) as { entities?: unknown[] }
  return entities.flatMap(entity => {
    const name = typeof entity === 'object' && entity !== null && 'name' in entity ? entity.name : entity
    return typeof name === 'string' && name.length <= 200 ? [name] : []
  })
}
