import { stat } from 'node:fs/promises'
import type { Collection, Entry } from '../collection.js'
import { headOf } from '../snapshot/read-snapshot.js'
import type { LoadVectors } from '../vectors/exact-vectors.js'
import { PackedIndex } from './packed-index.js'
import type { SearchIndex } from './search-index.js'

/** An index that is being read from its snapshot before it is known what it is for. */
export interface ReadAhead<E extends Entry, Filter> {
  /**
   * The index, once it is read; undefined when it is of another model, or the file is another one by now or can't be
   * read: it has to be read in the usual way then, which says why. Whoever asks first gets it.
   */
  take(wanted: { model: string; loadVectors: LoadVectors }): Promise<SearchIndex<E, Filter> | undefined>
}

/** @param from snapshots of fewer rows are left alone. */
export function readAhead<E extends Entry, Filter>(
  file: string,
  collection: Collection<E, Filter>,
  { from = 0 }: { from?: number } = {},
): ReadAhead<E, Filter> {
  let loadVectors: LoadVectors | undefined
  let reading: ReturnType<typeof read> | undefined = read().catch(() => undefined)
  return {
    take: async ({ model, loadVectors: loadNow }) => {
      const once = reading
      reading = undefined
      const ahead = await once
      const isThere = ahead?.model === model && (await identityOf(file).catch(() => '')) === ahead.identity
      if (!isThere) return undefined
      loadVectors = loadNow
      return ahead.index
    },
  }

  async function read(): Promise<Ahead<E, Filter> | undefined> {
    const identity = await identityOf(file)
    const { model, rows } = await headOf(file)
    if (rows < from) return undefined
    const index = new PackedIndex<E, Filter>(collection, {
      dimensions: null,
      model: model ?? undefined,
      loadVectors: async ids => (await loadVectors?.(ids)) ?? new Map(),
    })
    await index.load(file)
    return { index, model, identity }
  }
}

interface Ahead<E extends Entry, Filter> {
  index: SearchIndex<E, Filter>
  model: string | null
  /** Of the file as it was. */
  identity: string
}

/** A snapshot is never changed, but replaced by another file. */
async function identityOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file)
  return `${ino} ${size} ${mtimeMs}`
}
