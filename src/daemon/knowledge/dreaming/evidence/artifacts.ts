import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { SourceChunkToIndex } from '../../../../store/tables/knowledge/source-chunks.js'
import type { AgentText, EvidenceDeps, EvidenceStream } from './evidence.js'

const batchChunks = 50

/** Kinds of sources with the user's own words; issues and channels contain texts of strangers. */
const ownKinds = ['import', sourceKind.obsidian]

/** Notes and imported files, in chunks. */
export const artifacts: EvidenceStream = {
  name: 'artifacts',
  place: 'dream-artifacts',
  next: async ({ store }, place) => {
    const changed = await store.tables.sourceChunks.afterChange(place, batchChunks)
    const last = changed.at(-1)
    return last && { pieces: changed.flatMap(pieceOf), place: String(last.change) }
  },
}

/** Returns all texts of one artifact. */
export async function textsOfArtifact({ store }: EvidenceDeps, id: string): Promise<AgentText[]> {
  return (await store.tables.sourceChunks.toIndexOf(id, 0, 200)).flatMap(pieceOf)
}

function pieceOf(chunk: SourceChunkToIndex): AgentText[] {
  const { agent_id: agentId, source_kind: kind, alive, author, source_updated_at: at } = chunk
  if (alive !== 1 || agentId === null || !ownKinds.includes(kind ?? '')) return []
  return [
    {
      agentId,
      named: [],
      piece: {
        sourceKind: 'artifact',
        sourceId: chunk.artifact_id,
        text: chunk.text,
        speaker: author,
        at: at ?? '',
        project: null,
        sessionKey: null,
      },
    },
  ]
}
