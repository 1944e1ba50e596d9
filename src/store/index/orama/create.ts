import type { Collection, Entry } from '../collection.js'
import { PackedIndex, type SearchIndexOptions } from './packed-index.js'
import type { SearchIndex } from './search-index.js'

/**
 * A new, empty index: Orama with the packed component.
 * @param options dimensions of the vectors (null: the first vector decides), embedding model, BM25 parameters (k1
 *   0.9 and b 0.4), a reader of exact vectors for rescoring.
 */
export function createIndex<E extends Entry, Filter>(
  collection: Collection<E, Filter>,
  options: SearchIndexOptions,
): SearchIndex<E, Filter> {
  return new PackedIndex(collection, options)
}

/**
 * The index as `save` wrote it; apply every change after `stats().change` to it. Reads in slices that leave the
 * event loop free.
 * @throws SnapshotError when the file is missing, damaged, or from another version, schema, analysis or embedding
 *   model: rebuild then.
 */
export async function loadIndex<E extends Entry, Filter>(
  file: string,
  collection: Collection<E, Filter>,
  options: SearchIndexOptions,
): Promise<SearchIndex<E, Filter>> {
  const index = new PackedIndex(collection, options)
  await index.load(file)
  return index
}
