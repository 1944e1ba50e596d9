import type { MemoryIndex } from './memory-index.js'
import { type MemoryIndexOptions, PackedMemoryIndex } from './packed-memory-index.js'

/**
 * A new, empty index: Orama with the packed component.
 * @param options dimensions of the vectors (null: the first vector decides), embedding model, BM25 parameters (k1
 *   0.9 and b 0.4), a reader of exact vectors for rescoring.
 */
export function createMemoryIndex(options: MemoryIndexOptions): MemoryIndex {
  return new PackedMemoryIndex(options)
}

/**
 * The index as `save` wrote it; apply every change after `stats().change` to it. Reads in slices that leave the
 * event loop free.
 * @throws SnapshotError when the file is missing, damaged, or from another version, analysis or embedding model:
 *   rebuild then.
 */
export async function loadMemoryIndex(file: string, options: MemoryIndexOptions): Promise<MemoryIndex> {
  const index = new PackedMemoryIndex(options)
  await index.load(file)
  return index
}
