import type { Attention } from '../../../../store/tables/knowledge/attentions.js'
import { piecesOfArtifact } from '../evidence/artifacts.js'
import { piecesOfConversation } from '../evidence/conversations.js'
import type { AgentPiece } from '../evidence/evidence.js'
import { piecesOfMemories } from '../evidence/memories.js'
import type { Pass } from '../pass/pass.js'
import { readPieces } from '../pass/read-pieces.js'
import type { Ended } from './ended.js'

/** Reads what an attention names. What a source brought was read before, with everything that came. */
export async function readNamed(pass: Pass, attention: Attention): Promise<Ended> {
  if (attention.subject_kind === 'source') return { state: 'done' }
  const pieces = await piecesOf(pass, attention)
  if (pieces.length === 0) return { state: 'empty' }
  const found = await readPieces(pass, pieces)
  return { state: found > 0 ? 'done' : 'empty' }
}

async function piecesOf({ deps }: Pass, attention: Attention): Promise<AgentPiece[]> {
  const { subject_kind: kind, subject, agent_id: agentId } = attention
  if (kind === 'summary') return pieceOfSummary(deps, agentId, subject)
  const all = {
    memory: () => piecesOfMemories(deps, [subject]),
    transcript: () => piecesOfConversation(deps, agentId, subject),
    artifact: () => piecesOfArtifact(deps, subject),
  }[kind]
  return ((await all?.()) ?? []).filter(piece => piece.agentId === agentId)
}

async function pieceOfSummary({ store }: Pass['deps'], agentId: string, id: string): Promise<AgentPiece[]> {
  const row = await store.tables.summaryNodes.find(agentId, id)
  const isTellable = (await store.tables.summaryNodes.tellable([id])).has(id)
  if (!row || !isTellable) return []
  const { content: text, project, session_key: sessionKey, harness: speaker, ends_at: at } = row
  return [
    {
      agentId,
      named: [],
      piece: { sourceKind: 'summary', sourceId: id, text, speaker, at, project, sessionKey },
    },
  ]
}
