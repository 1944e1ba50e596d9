import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import { chunkType } from '../../../../store/tables/memory/memory-filter.js'
import type { OrphanScan, RowKey } from '../../../../store/tables/operations/orphans.js'
import {
  type MemoryConsistencyRow,
  type MemoryHash,
  vectorFault,
} from '../../../../store/tables/operations/row-damage.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'

/** Damaged rows of one kind. */
export interface Damage {
  /** Stable: also the id of the finding. */
  id: string
  table: string
  count: number
  /** Keys of some of the rows. */
  samples: string[]
}

/** Sample keys per kind. */
const maxSamples = 10

/** Memories with texts per statement. */
const stretch = 500
/** Changed memories that are checked for duplicates. */
const maxLookedUp = 5000

/** A memory with the text and the readers of another one. */
export interface Duplicate {
  id: string
  /** Id of the original, which has the hash of this text. */
  of: string
}

/** Vectors per statement: 400 KiB at 1,024 dimensions. */
const batchRows = 100

export class DamageList {
  readonly #kinds = new Map<string, Damage>()

  add(id: string, table: string, key: string): void {
    const known = this.#kinds.get(id) ?? { id, table, count: 0, samples: [] }
    known.count++
    if (known.samples.length < maxSamples) known.samples.push(key)
    this.#kinds.set(id, known)
  }

  /** Every kind found, in alphabetical order. */
  all(): Damage[] {
    return [...this.#kinds.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

/** Rows per statement: a few milliseconds, because a long read keeps SQLite from checkpointing its log. */
const stretchRows = 2000

/** Ends a walk whose time is up. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** Called between the batches of a walk. @throws OutOfTime */
export type Pause = () => Promise<void>

/** Id of the finding for orphaned rows of a table. */
export function orphanFinding(table: string): string {
  return `orphaned-${table.replaceAll('_', '-')}`
}

/** Finds rows whose owner is deleted, in every table whose rows have owners. */
export async function findOrphans({ orphans }: Tables, found: DamageList, pause: Pause): Promise<void> {
  for (const { table } of await orphans.tables()) {
    let after: RowKey | undefined
    do {
      const look: OrphanScan = await orphans.look(table, after, stretchRows)
      for (const key of look.orphans) found.add(orphanFinding(table), table, key.join(' '))
      after = look.next
      await pause()
    } while (after)
  }
}

/** Finds conversation texts that nothing references and that no capture or import is writing. */
export async function findOrphanedBodies(
  { orphans }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<void> {
  const table = 'transcript_messages'
  const pages = pagesOf({ from: '', limit: stretchRows, read: orphans.bodies, placeOf: byId })
  for await (const rows of pages) {
    for (const { id, orphaned } of rows) if (orphaned === 1) found.add(orphanFinding(table), table, id)
    await pause()
  }
}

/** Finds entities that are unreachable or have wrong mention counts, and values without evidence. */
export async function findGraphDamage({ rowDamage }: Tables, found: DamageList, pause: Pause): Promise<void> {
  const walk = { from: '', limit: stretchRows, placeOf: byId }
  for await (const rows of pagesOf({ ...walk, read: rowDamage.entities })) {
    for (const { id, miscounted, unnamed } of rows) {
      if (miscounted === 1) found.add('miscounted-mentions', 'entities', id)
      if (unnamed === 1) found.add('unnamed-entities', 'entities', id)
    }
    await pause()
  }
  for await (const rows of pagesOf({ ...walk, read: rowDamage.values })) {
    for (const { id, groundless } of rows)
      if (groundless === 1) found.add('groundless-values', 'claim_versions', id)
    await pause()
  }
}

/** Finds vectors that have the wrong length, contain non-numbers, or are all zero. */
export async function findVectorDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<void> {
  const pages = pagesOf({ from: 0, limit: batchRows, read: rowDamage.vectors, placeOf: ({ place }) => place })
  for await (const rows of pages) {
    for (const row of rows)
      if (vectorFault(row)) found.add('damaged-vectors', 'memory_vectors', row.memory_id)
    await pause()
  }
}

/** Finds memories whose counts or marks are wrong, and duplicates. */
export async function findMemoryDamage(
  { rowDamage }: Tables,
  found: DamageList,
  pause: Pause,
): Promise<Duplicate[]> {
  const changed: MemoryHash[] = []
  const pages = pagesOf({ from: 0, limit: stretch, read: rowDamage.memories, placeOf: ({ place }) => place })
  for await (const rows of pages) {
    for (const row of rows) {
      if (row.further_holders !== row.holders) found.add('miscounted-holders', 'memories', row.id)
      if (row.marked !== row.has_vector) found.add('mismarked-vectors', 'memories', row.id)
      const hash = hashOf(row)
      if (hash === undefined || hash === row.content_hash) continue
      found.add('changed-contents', 'memories', row.id)
      const isSeen = row.is_deleted === 0 && row.visibility !== 'archived'
      if (isSeen && changed.length < maxLookedUp) changed.push({ id: row.id, hash, space: row.hash_space })
    }
    await pause()
  }
  return duplicatesAmong(changed, await rowDamage.known(changed))
}

/** The hash of its current text; undefined for kinds hashed differently, and for texts too long to read. */
function hashOf({ content, type, visibility }: MemoryConsistencyRow): string | undefined {
  if (content === null || type === chunkType || visibility === 'archived') return undefined
  return contentHash(storageContent(content))
}

/** The first memory with a text is the original, every later one a duplicate. */
function duplicatesAmong(changed: readonly MemoryHash[], known: readonly MemoryHash[]): Duplicate[] {
  const keyOf = ({ hash, space }: MemoryHash) => `${hash} ${space}`
  const firsts = new Map(known.map(place => [keyOf(place), place.id]))
  const found: Duplicate[] = []
  for (const place of changed) {
    const first = firsts.get(keyOf(place))
    if (first === undefined) firsts.set(keyOf(place), place.id)
    else if (first !== place.id) found.push({ id: place.id, of: first })
  }
  return found
}

/** Yields to the event loop, and ends the walk at a deadline. @param now milliseconds of a monotonic clock */
export function pauseUntil(deadline: number, now: () => number, signal?: AbortSignal): Pause {
  const breathe = everyFewMs()
  return async () => {
    signal?.throwIfAborted()
    if (now() > deadline) throw new OutOfTime('the time for this look is over')
    await breathe()
  }
}
