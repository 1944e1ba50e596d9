import { Readable } from 'node:stream'
import type { TranscriptExportQuery } from '../../../contract/knowledge/transcript-export.js'
import type {
  StoredMessage,
  TranscriptCursor,
  TranscriptRow,
} from '../../../store/tables/sessions/transcripts.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importAgent } from './registry/registry.js'

type Deps = Pick<Daemon, 'store' | 'budget'>

/** Conversations per query. */
const pageSize = 50

/**
 * Streams an agent's conversations, oldest first: as lines that an import accepts, or as one list. The same
 * conversations always give the same bytes.
 */
export function exportTranscripts(deps: Deps, caller: Caller, query: TranscriptExportQuery): Readable {
  const agentId = importAgent(caller, query) ?? defaultAgent
  return Readable.from(exportParts(deps, agentId, query))
}

async function* exportParts(
  deps: Deps,
  agentId: string,
  query: TranscriptExportQuery,
): AsyncGenerator<string> {
  const frame = query.json ? list : lines
  yield frame.begin
  let isFirst = true
  for await (const row of selectConversations(deps, agentId, query)) {
    if (!isFirst) yield frame.between
    isFirst = false
    yield* conversationJson(deps, row, query)
    yield frame.after
  }
  yield frame.end
}

const lines = { begin: '', between: '', after: '\n', end: '' }
const list = { begin: '[', between: ',', after: '', end: ']' }

async function* selectConversations(
  { store }: Deps,
  agentId: string,
  { harness, since, until, limit = Number.POSITIVE_INFINITY, offset }: TranscriptExportQuery,
): AsyncGenerator<TranscriptRow> {
  let place: TranscriptCursor | undefined
  for (let left = limit, skipped = offset; left > 0; ) {
    const size = Math.min(pageSize, left)
    const filter = { agentId, harness, since, until }
    const rows = await store.tables.transcripts.page(filter, { after: place, limit: size, offset: skipped })
    yield* rows
    place = rows.at(-1)
    if (rows.length < size) return
    left -= rows.length
    skipped = 0
  }
}

/** Written in parts, because a conversation may be long. */
async function* conversationJson(
  { store, budget }: Deps,
  row: TranscriptRow,
  { messagesOnly }: TranscriptExportQuery,
): AsyncGenerator<string> {
  const { session_key: sessionKey, harness, project, captured_at: capturedAt, messages } = row
  const head = messagesOnly
    ? { sessionKey }
    : { source: 'service', version: 1, sessionKey, harness, project, capturedAt, messageCount: messages }
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`
  for (let from = 0; from < messages; ) {
    const page = await store.tables.transcripts.messages(row, from)
    // The rest would belong to another version, so break the stream to make the reader notice.
    if (page.length === 0) throw new Error('a conversation was replaced while it was exported')
    const written = page.map(message => JSON.stringify(shownMessage(message, messagesOnly))).join(',')
    yield from === 0 ? written : `,${written}`
    from += page.length
    await budget.breathe()
  }
  yield ']}'
}

function shownMessage({ role, text, at }: StoredMessage, messagesOnly: boolean): object {
  return messagesOnly || at === null ? { role, text } : { role, text, at }
}
