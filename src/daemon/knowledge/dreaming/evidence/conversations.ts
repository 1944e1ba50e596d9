import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import { type AgentText, type EvidenceDeps, type EvidenceStream, maxTextCharacters } from './evidence.js'

const batchChunks = 10

/** Messages of sessions; a continued conversation is read from its last position. */
export const conversations: EvidenceStream = {
  name: 'conversations',
  place: 'dream-conversations',
  next: async ({ store }, place) => {
    const changed = await store.tables.transcriptChunks.afterChange(place, batchChunks)
    const last = changed.at(-1)
    if (!last) return undefined
    const pieces: AgentText[] = []
    for (const { alive, body_id, first_position, last_position } of changed) {
      const row = alive === 1 ? await store.tables.transcripts.byBody(body_id) : undefined
      if (row?.safety_status !== 'clean') continue
      pieces.push(...(await messagesOf({ store }, row, { from: first_position, to: last_position })))
    }
    return { pieces, place: String(last.change) }
  },
}

/** Returns the messages of one conversation from its beginning. */
export async function textsOfConversation(
  { store }: EvidenceDeps,
  agentId: string,
  sessionKey: string,
): Promise<AgentText[]> {
  const row = await store.tables.transcripts.find({ agentId, sessionKey })
  if (row?.safety_status !== 'clean') return []
  return messagesOf({ store }, row, { from: 0, to: row.messages - 1 })
}

async function messagesOf(
  { store }: EvidenceDeps,
  row: TranscriptRow,
  { from, to }: { from: number; to: number },
): Promise<AgentText[]> {
  const pieces: AgentText[] = []
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
          text: text.slice(0, maxTextCharacters),
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
