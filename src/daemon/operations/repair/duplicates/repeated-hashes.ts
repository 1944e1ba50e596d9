import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { HashKey } from '../../../../store/tables/memory/duplicates.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

/** Hashes that one statement reads, of an index alone. */
const pageSize = 2000
/** Rows of archived agents have spaces of their own, which begin like this; nobody reads them. */
const ownSpace = ' '

/** Hashes behind one that several alive rows have, each once. */
export async function* repeatedHashes(
  { store }: Pick<Daemon, 'store'>,
  after: string,
): AsyncGenerator<{ hash: string; rows: number }> {
  // Behind every space of that hash.
  const from: HashKey = { content_hash: after, hash_space: after === '' ? '' : '\u{10FFFF}' }
  let open = { hash: '', rows: 0 }
  const read = store.tables.duplicates.hashesAfter
  for await (const page of pagesOf({ from, limit: pageSize, read, placeOf: place => place })) {
    for (const { content_hash: hash, hash_space } of page) {
      if (hash !== open.hash) {
        if (open.rows > 1) yield open
        open = { hash, rows: 0 }
      }
      if (!isArchived(hash_space)) open.rows++
    }
  }
  if (open.rows > 1) yield open
}

/** Of a confined writer the space is JSON behind the sign. */
function isArchived(space: string): boolean {
  return space.startsWith(ownSpace) && !space.startsWith(`${ownSpace}[`)
}
