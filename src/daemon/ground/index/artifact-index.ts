import type { ArtifactEntryFilter } from '../../../store/index/collections/artifacts.js'
import { unpackHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexHits, IndexQuery } from '../../../store/index/search.js'
import type { SourceChunkToIndex } from '../../../store/tables/knowledge/source-chunks.js'
import type { VectorModel } from '../../../store/tables/memory/vectors.js'
import { createLiveArtifacts, type LiveArtifactsOptions } from './artifact-entries.js'
import type { LiveStats } from './live-index.js'

/** The index of artifacts as use cases see it. */
export interface ArtifactIndex {
  /** Brings chunks in as they are now, with the vectors that they have; what must not be found goes. */
  apply(rows: readonly SourceChunkToIndex[]): Promise<void>
  setVector(id: string, vector: Float32Array): void
  search(query: IndexQuery<ArtifactEntryFilter>): Promise<IndexHits>
  stats(): Promise<LiveStats>
  /** Makes the index hold the vectors of this model; resolves once every stored chunk is in it. */
  use(model: VectorModel): Promise<void>
  close(): Promise<void>
}

/** Empty until `use`. */
export function openArtifactIndex(options: LiveArtifactsOptions): ArtifactIndex {
  const live = createLiveArtifacts(options)
  return {
    apply: live.apply,
    setVector: live.setVector,
    search: async query => unpackHits(await live.search(query)),
    stats: live.stats,
    use: live.use,
    close: live.close,
  }
}
