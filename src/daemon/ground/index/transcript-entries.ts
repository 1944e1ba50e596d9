import { type Breather, LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import {
  type TranscriptEntry,
  type TranscriptEntryFilter,
  transcripts as transcriptCollection,
} from '../../../store/index/collections/transcripts.js'
import type { Store } from '../../../store/store.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { StoredMessage } from '../../../store/tables/sessions/transcripts.js'
import { chunkText } from '../chunks/transcript-chunks.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveIndex } from './live-index.js'

/** The index of transcripts with its life, in whichever thread. */
export type LiveTranscripts = LiveIndex<ChunkToIndex, TranscriptEntry, TranscriptEntryFilter>

export interface LiveTranscriptsOptions {
  store: Pick<Store, 'tables'>
  /** Where the snapshot is. */
  file: string
  /** Where entries go that memory is too small for; without it all of them stay in memory. */
  segments?: string | undefined
  log: IndexLog
  /** Shared with what else captures. */
  budget?: Breather
}

/** The index of what was said in sessions in this thread: clean chunks of transcripts, by words (rules.md 4.11). */
export function createLiveTranscripts({
  store,
  file,
  segments,
  log,
  budget = new LoopBudget(),
}: LiveTranscriptsOptions): LiveTranscripts {
  const { meta, transcriptChunks } = store.tables
  return createLiveIndex({
    collection: transcriptCollection,
    file,
    segments,
    forgets: true,
    log,
    source: {
      lastChange: meta.lastChange,
      countAlive: transcriptChunks.countAlive,
      beforeChange: transcriptChunks.beforeChange,
      afterChange: transcriptChunks.afterChange,
      entries: rows => entriesOf(store, rows, budget),
    },
  })
}

/** Chunks of one message follow each other: it is read once for all of them. */
async function entriesOf(
  store: Pick<Store, 'tables'>,
  rows: readonly ChunkToIndex[],
  budget: Breather,
): Promise<SourceEntry<TranscriptEntry>[]> {
  const entries: SourceEntry<TranscriptEntry>[] = []
  let known: ChunkMessages | undefined
  for (const row of rows) {
    await budget.breathe()
    const id = chunkId(row)
    if (row.alive === 0) {
      entries.push({ id, entry: undefined })
      continue
    }
    known = await messagesOf(store, row, known)
    const content = chunkText(row, known.messages)
    const { change, project } = row
    entries.push({ id, entry: { id, change, content, agentId: row.agent_id ?? '', project } })
  }
  return entries
}

export function chunkId({ body_id, chunk }: Pick<ChunkToIndex, 'body_id' | 'chunk'>): string {
  return `${body_id}#${chunk}`
}

/** The text of a chunk as it is stored. */
export async function loadChunk(store: Pick<Store, 'tables'>, row: ChunkToIndex): Promise<string> {
  return chunkText(row, (await messagesOf(store, row, undefined)).messages)
}

interface ChunkMessages {
  bodyId: string
  messages: StoredMessage[]
}

/** The messages that a chunk lies in; what is known of its body already is not read again. */
async function messagesOf(
  { tables }: Pick<Store, 'tables'>,
  { body_id, messages: count, first_position: first, last_position: last }: ChunkToIndex,
  known: ChunkMessages | undefined,
): Promise<ChunkMessages> {
  const messages = known?.bodyId === body_id ? known.messages.filter(({ position }) => position >= first) : []
  if (messages[0]?.position !== first) messages.length = 0
  for (let next = first + messages.length; next <= last; ) {
    const page = await tables.transcripts.messages({ body_id, messages: count ?? 0 }, next, last - next + 1)
    if (page.length === 0) break
    messages.push(...page)
    next += page.length
  }
  return { bodyId: body_id, messages }
}
