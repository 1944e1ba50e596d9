import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type Merge, mayMerge, rowToKeep } from './merge.js'
import { repeatedHashes } from './repeated-hashes.js'

/** Where a deduplication stands: by hashes, then by texts whose hash is another one's, then by vectors. */
export interface DedupPlace {
  phase: 'hashes' | 'texts' | 'vectors' | 'done'
  after: string
}

/** Something on the way; `place` is behind it. */
export interface Step {
  merges: Merge[]
  place: DedupPlace
}

export interface Finding {
  semantic: boolean
  /** Cosine. */
  threshold: number
}

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder'>

/** Rows of one text that are looked at; more of them wait for the next time. */
const maxSame = 50
const pageSize = 200
/** Texts that are read together. */
const maxBytes = 1024 * 1024
/** Rows beside one that are looked at by vectors. */
const nearest = 8

/** Walks the memories from a place on, and tells at each step what may be merged there. */
export async function* findMerges(deps: Deps, from: DedupPlace, finding: Finding): AsyncGenerator<Step> {
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

/** The merges of rows with one text: into the one that stays, as far as each may go there. */
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

/** A row whose hash is not of its text goes into one of that text; it never stays in its place. */
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
 * Texts whose hash is not of them: another row may have that text, which no save found. Without another one the hash
 * stays as it is: somebody wrote to the database, and diagnostics go on saying so.
 */
async function* byTexts({ store }: Deps, after: string): AsyncGenerator<Step> {
  const breathe = everyFewMs()
  const { duplicates, memories } = store.tables
  for await (const page of textsFrom({ store }, after)) {
    for (const some of withinReading(page)) {
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

/** Pieces of a page whose texts may be in memory together. */
function withinReading<Text extends { bytes: number; counts: boolean }>(page: readonly Text[]): Text[][] {
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

/** Rows of one agent, project and scope that say the same in other words, by their vectors. */
async function* byVectors(deps: Deps, after: string, { threshold }: Finding): AsyncGenerator<Step> {
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
      const merges = row ? await nearOf(deps, row, vector, threshold, gone) : []
      for (const { drop } of merges) gone.add(drop.id)
      yield { merges, place: { phase: 'vectors', after: id } }
    }
  }
}

async function nearOf(
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
  const { saysTheSame } = await import('./says-the-same.js')
  for (const other of await store.tables.memories.load(near.map(({ id }) => id))) {
    if (!isPlain(other) || !isAlike(row, other) || !saysTheSame(row.content, other.content)) continue
    const keep = rowToKeep([row, other]) as MemoryRow
    const drop = keep === row ? other : row
    // What rests on the words of a text does not rest on other words.
    const rests = await store.tables.evidenceSpans.agentsRestingOn('memory', [drop.id])
    if (rests.length > 0 || drop.pinned === 1 || drop === row) continue
    merges.push({ keep, drop, why: 'near' })
  }
  return merges
}

/** A memory that stands for itself: nobody else holds it, nothing replaced it, and it is fit to be told. */
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

function isAlike(one: MemoryRow, other: MemoryRow): boolean {
  return sameFields.every(field => one[field] === other[field])
}
