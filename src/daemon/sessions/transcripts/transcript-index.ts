import type { Logger } from 'pino'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { TranscriptEntry, TranscriptEntryFilter } from '../../../store/index/collections.js'
import type { Store } from '../../../store/store.js'
import { removeSegmentFile } from '../../../store/tables/sessions/segment-file.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import { MovableIndex } from '../../ground/index/movable-index.js'
import { startIndexThread } from '../../ground/index/threaded-index.js'
import { createLiveTranscripts, type TranscriptIndex } from '../../ground/index/transcript-entries.js'

export interface TranscriptIndexOptions {
  store: Store
  paths: Pick<WorkspacePaths, 'database' | 'transcriptSnapshot' | 'transcriptSegments'>
  log: Logger
  /** Shared with other captures. */
  budget: LoopBudget
  /** `Infinity` disables threads. */
  threadFrom: number
}

const batchSize = 200
/** Session chunks have no vectors. */
const noModel = { provider: 'none', model: 'none' }
/** Removals that the newest snapshot may not contain yet. */
const overlap = 1000
/** More chunks than this use a thread and stay on disk, except the newest, some 3 MiB of text. */
const manyChunks = 2000

/** Creates the index of conversations: clean chunks of transcripts, by words (rules.md 4.11). */
export function createTranscriptIndex({
  store,
  paths,
  log,
  budget,
  threadFrom: most,
}: TranscriptIndexOptions): TranscriptIndex {
  const { transcriptChunks } = store.tables
  const { database, transcriptSnapshot: snapshot, transcriptSegments: segments } = paths
  const hasThreads = most !== Number.POSITIVE_INFINITY
  const threadFrom = hasThreads ? Math.min(most, manyChunks) : most
  let isOpened = false
  const live = new MovableIndex<ChunkToIndex, TranscriptEntry, TranscriptEntryFilter>({
    openHere: () => {
      // The data of a failed thread is too large for memory.
      const isSmall = hasThreads && !isOpened
      isOpened = true
      return createLiveTranscripts({ store, file: snapshot, log, budget, ...(!isSmall && { segments }) })
    },
    openThread: onDeath =>
      startIndexThread({ collection: 'transcripts', database, snapshot, segments, log, onDeath }),
    hasAtLeast: transcriptChunks.hasAtLeast,
    threadFrom,
    log,
  })
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
    catchUp: after => live.catchUp(after),
    search: query => live.search(query),
    stats: () => live.stats(),
    fill: async () => {
      // A small index reads no segments.
      if (hasThreads && !(await transcriptChunks.hasAtLeast(threadFrom))) removeSegmentFile(segments)
      await live.use(noModel)
      const { saved } = await live.stats()
      try {
        // Once a snapshot contains the removals, their rows can be deleted.
        while ((await transcriptChunks.dropRemoved(saved - overlap, batchSize)) === batchSize);
      } catch (error) {
        // A later start with free space deletes them.
        if (!storageFault(error)) throw error
      }
    },
    close: () => live.close(),
  }
}
