import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { SourceChunkToIndex } from '../../../../store/tables/knowledge/source-chunks.js'
import type { AgentPiece, EvidenceDeps, EvidenceStream } from './evidence.js'

const batchChunks = 50

/** Kinds of sources that hold the user's own words; what strangers write in issues and channels says nothing of us. */
const ownKinds = ['import', sourceKind.obsidian]

/** Notes and imported files, by their chunks. */
export const artifacts: EvidenceStream = {
  name: 'artifacts',
  place: 'dream-artifacts',
  next: async ({ store }, place) => {
    const changed = await store.tables.sourceChunks.afterChange(place, batchChunks)
    const last = changed.at(-1)
    return last && { pieces: changed.flatMap(pieceOf), place: String(last.change) }
  },
}

/** An artifact that is named, whole. */
export async function piecesOfArtifact({ store }: EvidenceDeps, id: string): Promise<AgentPiece[]> {
  return (await store.tables.sourceChunks.toIndexOf(id, 0, 200)).flatMap(pieceOf)
}

function pieceOf(chunk: SourceChunkToIndex): AgentPiece[] {
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
