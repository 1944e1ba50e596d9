import type { Logger } from 'pino'
import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { TranscriptEntry, TranscriptEntryFilter } from '../../../store/index/collections/transcripts.js'
import type { Store } from '../../../store/store.js'
import { removeSegmentFile } from '../../../store/tables/sessions/segment-file.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { ChunkIndex } from '../../ground/index/chunk-index.js'
import { MovableIndex } from '../../ground/index/movable-index.js'
import { startIndexThread } from '../../ground/index/threaded-index.js'
import { createLiveTranscripts } from '../../ground/index/transcript-entries.js'

export interface TranscriptIndexOptions {
  store: Store
  paths: Pick<WorkspacePaths, 'database' | 'transcriptSnapshot' | 'transcriptSegments'>
  log: Logger
  /** Shared with what else captures. */
  budget: LoopBudget
  /** `Infinity`: there are no threads. */
  threadFrom: number
}

const batchSize = 200
/** Nothing of sessions has vectors. */
const noModel = { provider: 'none', model: 'none' }
/** Removals that the newest snapshot may not hold yet. */
const overlap = 1000
/** More chunks than these have a thread, and lie on the disk but for the newest: some 3 MiB of what was said. */
const manyChunks = 2000

/** The index of what was said in sessions: clean chunks of transcripts, by words (rules.md 4.11). */
export function createTranscriptIndex({
  store,
  paths,
  log,
  budget,
  threadFrom: most,
}: TranscriptIndexOptions): ChunkIndex<TranscriptEntryFilter> {
  const { transcriptChunks } = store.tables
  const { database, transcriptSnapshot: snapshot, transcriptSegments: segments } = paths
  const hasThreads = most !== Number.POSITIVE_INFINITY
  const threadFrom = hasThreads ? Math.min(most, manyChunks) : most
  let isOpened = false
  const live = new MovableIndex<ChunkToIndex, TranscriptEntry, TranscriptEntryFilter>({
    openHere: () => {
      // What comes back from a thread that died is too much for memory.
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
    search: query => live.search(query),
    stats: () => live.stats(),
    fill: async () => {
      // No segment is read by an index that is small again.
      if (hasThreads && !(await transcriptChunks.hasAtLeast(threadFrom))) removeSegmentFile(segments)
      await live.use(noModel)
      const { saved } = await live.stats()
      try {
        // Once a snapshot holds the removals, the rows that told the index of them can go.
        while ((await transcriptChunks.dropRemoved(saved - overlap, batchSize)) === batchSize);
      } catch (error) {
        // They go at a start that finds room.
        if (!storageFault(error)) throw error
      }
    },
    close: () => live.close(),
  }
}
