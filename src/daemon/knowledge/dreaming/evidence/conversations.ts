import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import { type AgentPiece, type EvidenceDeps, type EvidenceStream, maxPieceCharacters } from './evidence.js'

const batchChunks = 10

/** What was said in sessions, by messages; a conversation that goes on is read from where it was left. */
export const conversations: EvidenceStream = {
  name: 'conversations',
  place: 'dream-conversations',
  next: async ({ store }, place) => {
    const changed = await store.tables.transcriptChunks.afterChange(place, batchChunks)
    const last = changed.at(-1)
    if (!last) return undefined
    const pieces: AgentPiece[] = []
    for (const { alive, body_id, first_position, last_position } of changed) {
      const row = alive === 1 ? await store.tables.transcripts.byBody(body_id) : undefined
      if (row?.safety_status !== 'clean') continue
      pieces.push(...(await messagesOf({ store }, row, { from: first_position, to: last_position })))
    }
    return { pieces, place: String(last.change) }
  },
}

/** A conversation that is named, from its beginning. */
export async function piecesOfConversation(
  { store }: EvidenceDeps,
  agentId: string,
  sessionKey: string,
): Promise<AgentPiece[]> {
  const row = await store.tables.transcripts.find({ agentId, sessionKey })
  if (row?.safety_status !== 'clean') return []
  return messagesOf({ store }, row, { from: 0, to: row.messages - 1 })
}

async function messagesOf(
  { store }: EvidenceDeps,
  row: TranscriptRow,
  { from, to }: { from: number; to: number },
): Promise<AgentPiece[]> {
  const pieces: AgentPiece[] = []
  for (let next = from; next <= to; ) {
    const page = await store.tables.transcripts.messages(row, next, to - next + 1)
    if (page.length === 0) break
    for (const { text, role, at } of page)
      pieces.push({
        agentId: row.agent_id,
        named: [],
        piece: {
          sourceKind: 'transcript',
          sourceId: row.session_key,
          text: text.slice(0, maxPieceCharacters),
          speaker: role,
          at: at ?? row.captured_at,
          project: row.project,
          sessionKey: row.session_key,
        },
      })
    next += page.length
  }
  return pieces
}
