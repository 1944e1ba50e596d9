import { clip } from '../../../lib/text/clip.js'
import type { SummaryNodeRow } from '../../../store/tables/sessions/summary-nodes.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead } from '../transcripts/session-transcript.js'

/** Messages that are read at a time. */
const page = 50

/**
 * The beginning of the conversation that a node tells of, in whole messages as far as they fit; null when there is
 * none, or the content safety policy keeps it out of contexts.
 * @param maxLength UTF-16 units.
 */
export async function transcriptExcerpt(
  { store }: Pick<Daemon, 'store'>,
  caller: Caller,
  { agent_id: agentId, session_key: sessionKey }: SummaryNodeRow,
  maxLength: number,
): Promise<{ sessionKey: string; excerpt: string } | null> {
  if (sessionKey === null) return null
  const { transcripts } = store.tables
  const row = await transcripts.find({ agentId, sessionKey })
  if (!row || !mayRead(caller, row) || row.safety_status !== 'clean') return null
  let excerpt = ''
  for (let from = 0; excerpt.length <= maxLength; ) {
    const messages = await transcripts.messages(row, from, page)
    if (messages.length === 0) break
    from += messages.length
    excerpt += messages.map(({ role, text }) => `${role}: ${text}\n\n`).join('')
  }
  return { sessionKey, excerpt: clip(excerpt.trim(), maxLength) }
}
