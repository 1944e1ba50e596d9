import type { Logger } from 'pino'
import type { LoopBudget } from '../../../lib/loop-budget.js'
import type { Store } from '../../../store/database.js'
import {
  type TranscriptEntry,
  type TranscriptEntryFilter,
  transcripts,
} from '../../../store/index/collections/transcripts.js'
import { unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { StoredMessage } from '../../../store/tables/sessions/transcripts.js'
import type { ChunkIndex } from '../../ground/index/chunk-index.js'
import type { IndexSource, SourceEntry } from '../../ground/index/index-source.js'
import { createLiveIndex } from '../../ground/index/live-index.js'
import { chunkText } from './chunks.js'

export interface TranscriptIndexOptions {
  store: Store
  /** Where the snapshot is. */
  file: string
  log: Logger
  /** Shared with what else captures. */
  budget: LoopBudget
}

const batchSize = 200
/** Nothing of sessions has vectors. */
const noModel = { provider: 'none', model: 'none' }
/** Removals that the newest snapshot may not hold yet. */
const overlap = 1000

/** The index of what was said in sessions: clean chunks of transcripts, by words (rules.md 4.11). */
export function createTranscriptIndex({
  store,
  file,
  log,
  budget,
}: TranscriptIndexOptions): ChunkIndex<TranscriptEntryFilter> {
  const { transcriptChunks } = store.tables
  const live = createLiveIndex({ collection: transcripts, source: chunkSource(store, budget), file, log })
  return {
    update: async (bodyId, { from, to }) => {
      const range = (start: number) => (to === undefined ? { from: start } : { from: start, to })
      for (let start = from; ; ) {
        const rows = await transcriptChunks.of(bodyId, range(start), batchSize)
        const last = rows.at(-1)
        if (!last) return
        await live.apply(rows)
        start = last.chunk + 1
      }
    },
    search: async query => unpackHits(await live.search(query)),
    stats: live.stats,
    fill: () => live.use(noModel),
    close: live.close,
  }
}

function chunkSource(store: Store, budget: LoopBudget): IndexSource<ChunkToIndex, TranscriptEntry> {
  const { meta, transcriptChunks } = store.tables
  return {
    lastChange: meta.lastChange,
    countAlive: transcriptChunks.countAlive,
    beforeChange: transcriptChunks.beforeChange,
    afterChange: transcriptChunks.afterChange,
    entries: rows => entriesOf(store, rows, budget),
    // Once a snapshot holds the removals, the rows that told the index of them can go.
    onSaved: async change => {
      while ((await transcriptChunks.dropRemoved(change - overlap, batchSize)) === batchSize);
    },
  }
}

/** Chunks of one message follow each other: it is read once for all of them. */
async function entriesOf(
  store: Store,
  rows: readonly ChunkToIndex[],
  budget: LoopBudget,
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
