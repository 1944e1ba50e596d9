import type { TranscriptRow } from '../../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import type { SourceReader } from './source.js'

/** Conversations as they were captured, by the key of their session: a piece is a message. They grow. */
export const transcriptSource: SourceReader = {
  kind: 'transcript',
  idOf: sessionKeyOf,
  open: async (tables, { agentId, boundary: { only } }, sessionKey) => {
    const row = await tables.transcripts.find({ agentId, sessionKey })
    if (!row) return { state: 'gone' }
    const isForReader =
      only?.who === undefined && (only?.project === undefined || row.project === only.project)
    if (!isForReader) return { state: 'hidden' }
    if (row.safety_status !== 'clean') return { state: 'unclean' }
    return {
      state: 'readable',
      projects: [row.project],
      sessionKey,
      isPrivate: true,
      stamp: `${row.body_id}:${row.messages}`,
      pieces: () => messagesOf(tables, row),
    }
  },
}

async function* messagesOf({ transcripts }: Tables, row: TranscriptRow): AsyncGenerator<string> {
  for (let from = 0; ; ) {
    const page = await transcripts.messages(row, from)
    if (page.length === 0) return
    for (const { text } of page) yield text
    from += page.length
  }
}
