import { Readable } from 'node:stream'
import type { TranscriptExportQuery } from '../../../contract/knowledge/transcript-export.js'
import type {
  StoredMessage,
  TranscriptPlace,
  TranscriptRow,
} from '../../../store/tables/sessions/transcripts.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importAgent } from './registry/find-import.js'

type Deps = Pick<Daemon, 'store' | 'budget'>

/** Conversations that are looked up together. */
const pageSize = 50

/**
 * Conversations of an agent, oldest first, as they are when they are read: lines that an import takes as they are, or
 * one list. The same conversations make the same bytes.
 */
export function exportTranscripts(deps: Deps, caller: Caller, query: TranscriptExportQuery): Readable {
  const agentId = importAgent(caller, query) ?? defaultAgent
  return Readable.from(pieces(deps, agentId, query))
}

async function* pieces(deps: Deps, agentId: string, query: TranscriptExportQuery): AsyncGenerator<string> {
  const frame = query.json ? list : lines
  yield frame.begin
  let isFirst = true
  for await (const row of selected(deps, agentId, query)) {
    if (!isFirst) yield frame.between
    isFirst = false
    yield* conversation(deps, row, query)
    yield frame.after
  }
  yield frame.end
}

const lines = { begin: '', between: '', after: '\n', end: '' }
const list = { begin: '[', between: ',', after: '', end: ']' }

async function* selected(
  { store }: Deps,
  agentId: string,
  { harness, since, until, limit = Number.POSITIVE_INFINITY, offset }: TranscriptExportQuery,
): AsyncGenerator<TranscriptRow> {
  let place: TranscriptPlace | undefined
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

/** In pieces: a conversation may be long. */
async function* conversation(
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
    // What takes its place now is in no export that is still true: the reader learns it from the broken stream.
    if (page.length === 0) throw new Error('a conversation was replaced while it was exported')
    const written = page.map(message => JSON.stringify(shown(message, messagesOnly))).join(',')
    yield from === 0 ? written : `,${written}`
    from += page.length
    await budget.breathe()
  }
  yield ']}'
}

function shown({ role, text, at }: StoredMessage, messagesOnly: boolean): object {
  return messagesOnly || at === null ? { role, text } : { role, text, at }
}
