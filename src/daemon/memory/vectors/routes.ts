import { Readable } from 'node:stream'
import type { MemoryVector, VectorsQuery } from '../../../contract/memory/search.js'
import * as contract from '../../../contract/memory/search.js'
import { jsonList } from '../../../lib/concurrency/json-list.js'
import { slicesOf } from '../../../lib/text/clip.js'
import { type ReadBoundary, withOriginFor } from '../../../store/tables/memory/memory-filter.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { toListedMemory } from '../records/record.js'

/** Rows per slice: some thousand numbers each, so writing them as JSON takes a few milliseconds. */
const batchSize = 50

type Deps = Pick<Daemon, 'store'>

export const routes = [
  route(contract.exportVectors, (daemon, { caller, query }) => exportVectors(daemon, caller, query)),
  route(contract.embedderStatus, async ({ embedder }) => {
    const { provider, model, dimensions, available, error, checkedAt } = embedder().status()
    return { provider, model, dimensions, available, ...(error && { error }), checkedAt }
  }),
]

/**
 * Streams memories with vectors, newest first (rules.md#searches-and-vectors): 5,000 vectors are 40 MB of
 * JSON.
 */
async function exportVectors(deps: Deps, caller: Caller, query: VectorsQuery): Promise<Readable> {
  const { limit, offset, vectors } = query
  const { memories } = deps.store.tables
  const boundary = await readBoundary(deps, caller, query)
  const ids = await memories.listIds(boundary, { embedded: true }, { limit, offset })
  const { withEmbeddings: total } = await memories.counts(boundary)
  return Readable.from(replyParts(deps, boundary, ids, { limit, offset, total, vectors }))
}

/** Yields the reply in parts; the counts come last, when the number of remaining rows is known. */
async function* replyParts(
  deps: Deps,
  boundary: ReadBoundary,
  ids: readonly string[],
  { limit, offset, total, vectors }: { limit: number; offset: number; total: number; vectors: boolean },
): AsyncGenerator<string> {
  let count = 0
  const batches = async function* () {
    for (const some of slicesOf(ids, batchSize)) {
      const rows = await vectorsOf(deps, boundary, some, vectors)
      count += rows.length
      yield rows
    }
  }
  yield '{"embeddings":'
  yield* jsonList(batches())
  const hasMore = offset + ids.length < total
  yield `,${JSON.stringify({ count, total, limit, offset, hasMore }).slice(1)}`
}

async function vectorsOf(
  { store }: Deps,
  boundary: ReadBoundary,
  ids: readonly string[],
  withVector: boolean,
): Promise<MemoryVector[]> {
  const [rows, stored] = await Promise.all([
    store.tables.memories.load(ids),
    store.tables.vectors.stored(ids),
  ])
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => {
    const row = byId.get(id)
    const embedding = stored.get(id)
    if (!row || row.is_deleted === 1 || !embedding) return []
    const { provider, model, dimensions, vector } = embedding
    const { source_id } = withOriginFor(row, boundary)
    const facts = { ...toListedMemory(row), source_id, provider, model, dimensions }
    return [withVector ? { ...facts, vector: [...vector] } : facts]
  })
}
