import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type Merge, mayMerge, rowToKeep } from './merge.js'
import { repeatedHashes } from './repeated-hashes.js'

/** Progress of a deduplication: first by hashes, then by texts with a wrong hash, then by vectors. */
export interface DedupPlace {
  phase: 'hashes' | 'texts' | 'vectors' | 'done'
  after: string
}

/** Possible merges of one step; `place` is the position after them. */
export interface Step {
  merges: Merge[]
  place: DedupPlace
}

export interface MergeOptions {
  semantic: boolean
  /** Minimum cosine similarity. */
  threshold: number
}

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder'>

/** Rows with the same text per step; further ones are merged by a later run. */
const maxSame = 50
const pageSize = 200
/** Bytes of text loaded together. */
const maxBytes = 1024 * 1024
/** Nearest neighbours examined per memory. */
const nearest = 8

/** Walks the memories from a position and yields the possible merges of each step. */
export async function* findMerges(deps: Deps, from: DedupPlace, finding: MergeOptions): AsyncGenerator<Step> {
  if (from.phase === 'hashes') {
    yield* byHashes(deps, from.after)
    yield { merges: [], place: { phase: 'texts', after: '' } }
  }
  if (from.phase === 'hashes' || from.phase === 'texts') {
    yield* byTexts(deps, from.phase === 'texts' ? from.after : '')
    yield { merges: [], place: { phase: finding.semantic ? 'vectors' : 'done', after: '' } }
  }
  if (finding.semantic) {
    yield* byVectors(deps, from.phase === 'vectors' ? from.after : '', finding)
    yield { merges: [], place: { phase: 'done', after: '' } }
  }
}

async function* byHashes(deps: Deps, after: string): AsyncGenerator<Step> {
  for await (const { hash } of repeatedHashes(deps, after)) {
    const rows = await deps.store.tables.memories.load(
      await deps.store.tables.duplicates.withHash(hash, maxSame),
    )
    yield { merges: await mergesOf(deps, rows), place: { phase: 'hashes', after: hash } }
  }
}

/** Merges of rows with one text into the row that stays, where the readers allow it. */
async function mergesOf(deps: Pick<Deps, 'store'>, rows: readonly MemoryRow[]): Promise<Merge[]> {
  const alive = rows.filter(({ is_deleted, visibility }) => is_deleted === 0 && visibility !== 'archived')
  const keep = rowToKeep(alive)
  const merges: Merge[] = []
  for (const drop of alive) {
    if (!keep || drop.id === keep.id || (drop.pinned === 1 && keep.pinned === 0)) continue
    if (await mayMerge(deps, { keep, drop })) merges.push({ keep, drop, why: 'same_text' })
  }
  return merges
}

/** A row with a wrong hash is merged into a correct row of the same text; it is never the one that stays. */
async function mergeInto(
  deps: Pick<Deps, 'store'>,
  others: readonly MemoryRow[],
  drop: MemoryRow,
): Promise<Merge[]> {
  const keep = rowToKeep(others)
  if (!keep || drop.is_deleted === 1 || drop.pinned > keep.pinned) return []
  return (await mayMerge(deps, { keep, drop })) ? [{ keep, drop, why: 'same_text' }] : []
}

/**
 * Looks for texts with a wrong hash, since no save found their duplicates. Without a duplicate the hash stays
 * wrong: another program wrote to the database, and diagnostics keep reporting it.
 */
async function* byTexts({ store }: Deps, after: string): AsyncGenerator<Step> {
  const breathe = everyFewMs()
  const { duplicates, memories } = store.tables
  for await (const page of textsFrom({ store }, after)) {
    for (const some of splitByBytes(page)) {
      const rows = await memories.load(some.map(({ id }) => id))
      for (const row of rows.sort((a, b) => (a.id < b.id ? -1 : 1))) {
        await breathe()
        const hash = contentHash(storageContent(row.content))
        if (hash === row.content_hash) continue
        const others = await memories.load(await duplicates.withHash(hash, maxSame))
        const merges = await mergeInto({ store }, others, row)
        if (merges.length > 0) yield { merges, place: { phase: 'texts', after: row.id } }
      }
    }
    const last = page.at(-1)
    if (last) yield { merges: [], place: { phase: 'texts', after: last.id } }
  }
}

function textsFrom({ store }: Pick<Deps, 'store'>, from: string) {
  return pagesOf({ from, limit: pageSize, read: store.tables.duplicates.textsAfter, placeOf: byId })
}

/** Splits a page into parts whose texts fit into memory together. */
function splitByBytes<Text extends { bytes: number; counts: boolean }>(page: readonly Text[]): Text[][] {
  const pieces: Text[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const one of page.filter(({ counts }) => counts)) {
    if (bytes + one.bytes > maxBytes) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)?.push(one)
    bytes += one.bytes
  }
  return pieces
}

/** Finds rows of one agent, project and scope that say the same in other words, by their vectors. */
async function* byVectors(deps: Deps, after: string, { threshold }: MergeOptions): AsyncGenerator<Step> {
  const { memories, vectors } = deps.store.tables
  const gone = new Set<string>()
  for await (const page of textsFrom(deps, after)) {
    const ids = page.filter(({ counts }) => counts).map(({ id }) => id)
    const model = deps.embedder().status()
    const own = await vectors.of(ids, model)
    for (const id of ids) {
      const vector = own.get(id)
      if (!vector || gone.has(id)) continue
      const [row] = await memories.load([id])
      const merges = row ? await mergesOfNearest(deps, row, vector, threshold, gone) : []
      for (const { drop } of merges) gone.add(drop.id)
      yield { merges, place: { phase: 'vectors', after: id } }
    }
  }
}

async function mergesOfNearest(
  { store, index }: Deps,
  row: MemoryRow,
  vector: Float32Array,
  threshold: number,
  gone: ReadonlySet<string>,
): Promise<Merge[]> {
  if (!isPlain(row)) return []
  const filter = { agents: [row.agent_id], types: [row.type], scope: row.scope }
  const hits = await index.search({ text: '', vector, filter, depth: nearest })
  const near = hits.vector.filter(({ id, score }) => score >= threshold && id !== row.id && !gone.has(id))
  const merges: Merge[] = []
  const { isSameStatement } = await import('./is-same-statement.js')
  for (const other of await store.tables.memories.load(near.map(({ id }) => id))) {
    if (!isPlain(other) || !haveSameFields(row, other) || !isSameStatement(row.content, other.content))
      continue
    const keep = rowToKeep([row, other]) as MemoryRow
    const drop = keep === row ? other : row
    // Facts quote the exact text, so a memory with facts can't be replaced with other words.
    const rests = await store.tables.evidenceSpans.agentsRestingOn('memory', [drop.id])
    if (rests.length > 0 || drop.pinned === 1 || drop === row) continue
    merges.push({ keep, drop, why: 'near' })
  }
  return merges
}

/** A clean memory with a single holder that nothing replaced. */
function isPlain(row: MemoryRow): boolean {
  return (
    row.is_deleted === 0 &&
    row.visibility !== 'archived' &&
    row.further_holders === 0 &&
    row.superseded_by === null &&
    row.safety_status === 'clean' &&
    row.source_type !== 'recall-aggregate'
  )
}

const sameFields = [
  'agent_id',
  'project',
  'scope',
  'visibility',
  'type',
  'who',
  'occurred_at',
  'observed_at',
  'valid_from',
  'valid_until',
  'review_after',
] as const

function haveSameFields(one: MemoryRow, other: MemoryRow): boolean {
  return sameFields.every(field => one[field] === other[field])
}
