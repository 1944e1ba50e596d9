import { type Breather, LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import {
  type TranscriptEntry,
  type TranscriptEntryFilter,
  transcripts as transcriptCollection,
} from '../../../store/index/collections.js'
import type { IndexHits, IndexQuery } from '../../../store/index/search.js'
import type { Store } from '../../../store/store.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { StoredMessage } from '../../../store/tables/sessions/transcripts.js'
import { chunkText } from '../chunks/transcript-chunks.js'
import type { IndexLog, SourceEntry } from './index-source.js'
import { createLiveIndex, type LiveIndex, type LiveStats } from './live-index.js'

/** The index of transcripts for use cases, in this or another thread; see `LiveIndex`. */
export interface TranscriptIndex {
  /** Indexes the current chunks of a transcript body, from a chunk number on and before `to` if given. */
  update(bodyId: string, range: { from: number; to?: number }): Promise<void>
  /** Indexes rows that were changed after a change, by anyone. */
  catchUp(after: number): Promise<void>
  search(query: IndexQuery<TranscriptEntryFilter>): Promise<IndexHits>
  stats(): Promise<LiveStats>
  /** Resolves once every chunk is indexed. */
  fill(): Promise<void>
  close(): Promise<void>
}

/** The index of transcripts, kept current, in any thread. */
export type LiveTranscripts = LiveIndex<ChunkToIndex, TranscriptEntry, TranscriptEntryFilter>

export interface LiveTranscriptsOptions {
  store: Pick<Store, 'tables'>
  /** Path of the snapshot. */
  file: string
  /** Folder for entries that exceed memory; without it all entries stay in memory. */
  segments?: string | undefined
  log: IndexLog
  /** Shared with other capture work. */
  budget?: Breather
}

/** Creates the keyword index of session transcripts in this thread, over clean chunks (rules.md 4.11). */
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

/** Consecutive chunks often share a message, which is read only once. */
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

/** The stored text of a chunk, and its part of each turn. */
export interface ChunkPassage {
  text: string
  turns: { position: number; text: string }[]
}

export async function loadChunk(store: Pick<Store, 'tables'>, row: ChunkToIndex): Promise<ChunkPassage> {
  const { messages } = await messagesOf(store, row, undefined)
  return {
    text: chunkText(row, messages),
    turns: messages.map(({ position }) => ({
      position,
      text: chunkText({ ...row, ...within(row, position) }, messages),
    })),
  }
}

/** The positions of one turn of a chunk. */
function within(row: ChunkToIndex, position: number) {
  return {
    first_position: position,
    last_position: position,
    first_offset: position === row.first_position ? row.first_offset : 0,
    last_end: position === row.last_position ? row.last_end : Number.MAX_SAFE_INTEGER,
  }
}

interface ChunkMessages {
  bodyId: string
  messages: StoredMessage[]
}

/** Loads the messages of a chunk, reusing those already loaded from its body. */
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
