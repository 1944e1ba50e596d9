import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HashPlace } from '../../../../store/tables/memory/duplicates.js'
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
  let place: HashPlace = { content_hash: after, hash_space: after === '' ? '' : '\u{10FFFF}' }
  let open = { hash: '', rows: 0 }
  for (;;) {
    const page = await store.tables.duplicates.hashesAfter(place, pageSize)
    for (const { content_hash: hash, hash_space } of page) {
      if (hash !== open.hash) {
        if (open.rows > 1) yield open
        open = { hash, rows: 0 }
      }
      if (!isArchived(hash_space)) open.rows++
    }
    const last = page.at(-1)
    if (!last || page.length < pageSize) break
    place = last
    await nextTurn()
  }
  if (open.rows > 1) yield open
}

/** Of a confined writer the space is JSON behind the sign. */
function isArchived(space: string): boolean {
  return space.startsWith(ownSpace) && !space.startsWith(`${ownSpace}[`)
}
