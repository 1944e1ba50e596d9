import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import { embedMemories } from '../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Chunks that are put into the index in one go. */
const indexRows = 50
/** Texts of one call of the embedder. */
const embedRows = 16
/** A document that is read waits so long for its vectors; back-fill makes the rest. */
const embedBudgetMs = 20_000

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock'>

/** One generation of the chunks of a document. */
export interface Generation {
  documentId: string
  generation: number
}

/**
 * Makes vectors for the chunks that have none, as long as the provider answers and the document may wait; the back-fill
 * of memories finds the others.
 */
export async function embedChunks(deps: Deps, chunks: Generation, signal: AbortSignal): Promise<void> {
  const until = performance.now() + embedBudgetMs
  for await (const ids of idsIn(deps, chunks, embedRows)) {
    signal.throwIfAborted()
    if (!deps.embedder().status().available || performance.now() > until) return
    const known = await deps.store.tables.vectors.of(ids, deps.embedder().status())
    const missing = [...new Set(ids)].filter(id => !known.has(id))
    try {
      if (missing.length > 0) await embedMemories(deps, missing)
    } catch (error) {
      if (error instanceof EmbeddingUnavailable || error instanceof EmbeddingRefused) return
      throw error
    }
  }
}

/** Puts the chunks into the index, with the vectors that they have. */
export async function indexChunks(deps: Deps, chunks: Generation, signal: AbortSignal): Promise<void> {
  const { memories, hints, vectors } = deps.store.tables
  for await (const ids of idsIn(deps, chunks, indexRows)) {
    signal.throwIfAborted()
    const [rows, hintsOf, vectorsOf] = await Promise.all([
      memories.load([...new Set(ids)]),
      hints.of(ids),
      vectors.of(ids, deps.embedder().status()),
    ])
    for (const row of rows) {
      if (row.is_deleted === 1) continue
      deps.index.upsert(row, hintsOf.get(row.id) ?? [])
      const vector = vectorsOf.get(row.id)
      if (vector) deps.index.setVector(row.id, vector)
    }
    await deps.index.settled()
    await nextTurn()
  }
}

async function* idsIn(
  { store }: Deps,
  { documentId, generation }: Generation,
  size: number,
): AsyncGenerator<string[]> {
  for (let from = 0; ; from += size) {
    const ids = await store.tables.documentChunks.idsOf(documentId, generation, from, size)
    if (ids.length > 0) yield ids
    if (ids.length < size) return
  }
}
