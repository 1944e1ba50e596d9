import type { ArtifactEntry, ArtifactEntryFilter } from '../../../store/index/collections/artifacts.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexQuery } from '../../../store/index/search.js'
import type { Store } from '../../../store/store.js'
import type { SourceChunkToIndex } from '../../../store/tables/knowledge/source-chunks.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { createLiveArtifacts } from './artifact-entries.js'
import type { IndexLog } from './index-source.js'
import type { LiveStats } from './live-index.js'
import { MovableIndex } from './movable-index.js'
import { startIndexThread } from './threaded-index.js'

/** The index of artifacts for use cases, in this or another thread; see `LiveIndex`. */
export interface ArtifactIndex {
  /** Indexes the current state of chunks with their vectors; removes those that must not be found. */
  apply(rows: readonly SourceChunkToIndex[]): Promise<void>
  /** Indexes rows that were changed after a change, by anyone. */
  catchUp(after: number): Promise<void>
  setVector(id: string, vector: Float32Array): void
  search(query: IndexQuery<ArtifactEntryFilter>): Promise<FoundHits>
  stats(): Promise<LiveStats>
  /** Switches to the vectors of this model; resolves once every stored chunk is indexed. */
  use(model: VectorModel): Promise<void>
  close(): Promise<void>
}

export interface ArtifactIndexOptions {
  store: Pick<Store, 'tables'>
  database: string
  /** Path of the snapshot. */
  snapshot: string
  log: IndexLog
  /** From this number of chunks on the index runs in its own thread. */
  threadFrom: number
}

/** Empty until `use`. */
export function openArtifactIndex({
  store,
  database,
  snapshot,
  log,
  threadFrom,
}: ArtifactIndexOptions): ArtifactIndex {
  return new MovableIndex<SourceChunkToIndex, ArtifactEntry, ArtifactEntryFilter>({
    openHere: () => createLiveArtifacts({ store, file: snapshot, log }),
    openThread: onDeath => startIndexThread({ collection: 'artifacts', database, snapshot, log, onDeath }),
    hasAtLeast: store.tables.sourceChunks.hasAtLeast,
    threadFrom,
    log,
  })
}
