import { firstHolder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { type AgentText, type EvidenceDeps, type EvidenceStream, maxTextCharacters } from './evidence.js'

const batchRows = 50

/** Memories derived from others are not evidence, because they would confirm themselves. */
const derivedTypes = ['ontology', 'recall-aggregate']

/** Memories, once for each agent that holds one; compaction summaries are memories too. */
export const memories: EvidenceStream = {
  name: 'memories',
  place: 'dream-memories',
  next: async (deps, place) => {
    const changed = await deps.store.tables.memories.afterChange(place, batchRows)
    const last = changed.at(-1)
    if (!last) return undefined
    return {
      pieces: await textsOfMemories(
        deps,
        changed.map(({ id }) => id),
      ),
      place: String(last.change),
    }
  },
}

/**
 * Returns memories as texts, in order: clean ones that were not superseded. Chunks of documents are left out,
 * because they are the words of the document's author.
 */
export async function textsOfMemories({ store }: EvidenceDeps, ids: readonly string[]): Promise<AgentText[]> {
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
    !derivedTypes.includes(row.source_type ?? '')
  )
}

function pieceOf(row: MemoryRow, agentId: string, project: string | null): AgentText {
  return {
    agentId,
    named: [...row.tags.split(',').filter(Boolean), ...namesIn(row.structured)],
    piece: {
      sourceKind: 'memory',
      sourceId: row.id,
      text: row.content.slice(0, maxTextCharacters),
      speaker: row.who,
      at: row.occurred_at ?? row.created_at,
      project,
      sessionKey: row.session_id && sessionKeyOf(row.session_id),
    },
  }
}

/** Returns entity names from the structured payload, where each is a string or an object with a name. */
function namesIn(structured: string | null): string[] {
  if (structured === null) return []
  const { entities = [] } = JSON.parse(structured) as { entities?: unknown[] }
  return entities.flatMap(entity => {
    const name = typeof entity === 'object' && entity !== null && 'name' in entity ? entity.name : entity
    return typeof name === 'string' && name.length <= 200 ? [name] : []
  })
}
