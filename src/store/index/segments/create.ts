import type { Collection, Entry } from '../collection.js'
import type { SearchIndexOptions } from '../orama/packed-index.js'
import type { SearchIndex } from '../orama/search-index.js'
import { type Sealing, SegmentedIndex } from './segmented-index.js'

/**
 * A new, empty index by words alone that keeps its newest entries in memory and all others on the disk.
 * @throws RangeError for a collection that is filtered by more than values.
 */
export function createSegmentedIndex<E extends Entry, Filter>(
  collection: Collection<E, Filter>,
  options: SearchIndexOptions & Sealing,
): SearchIndex<E, Filter> {
  return new SegmentedIndex(collection, options)
}

/**
 * The index as it was sealed and saved; apply every change after `stats().change` to it.
 * @throws SnapshotError when there is neither a segment nor a snapshot that can be used: rebuild then.
 */
export async function loadSegmentedIndex<E extends Entry, Filter>(
  file: string,
  collection: Collection<E, Filter>,
  options: SearchIndexOptions & Sealing,
): Promise<SearchIndex<E, Filter>> {
  const index = new SegmentedIndex(collection, options)
  try {
    await index.load(file)
    return index
  } catch (error) {
    await index.close()
    throw error
  }
}
