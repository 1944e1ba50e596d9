import { stat } from 'node:fs/promises'
import type { Collection, Entry } from '../collection.js'
import { headOf } from '../snapshot/read-snapshot.js'
import type { LoadVectors } from '../vectors/exact-vectors.js'
import { PackedIndex, type SearchIndex } from './packed-index.js'

/** An index whose snapshot is being read before its settings are known. */
export interface ReadAhead<E extends Entry, Filter> {
  /**
   * Returns the index once, after it is read. Undefined if the model differs, or the file changed or is
   * unreadable; a normal load then reports the reason.
   */
  take(wanted: { model: string; loadVectors: LoadVectors }): Promise<SearchIndex<E, Filter> | undefined>
}

/** @param from smaller snapshots (in rows) are not read ahead. */
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

  async function read(): Promise<EarlyIndex<E, Filter> | undefined> {
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

interface EarlyIndex<E extends Entry, Filter> {
  index: SearchIndex<E, Filter>
  model: string | null
  /** Identity of the file when it was read. */
  identity: string
}

/** Snapshots are replaced by new files, never modified. */
async function identityOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file)
  return `${ino} ${size} ${mtimeMs}`
}
