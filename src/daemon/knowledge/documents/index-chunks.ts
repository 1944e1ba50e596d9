import { slicesOf } from '../../../lib/text/slices-of.js'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import { isHidden, toEntry } from '../../ground/index/memory-entries.js'
import { embedMemories } from '../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { StoredChunks } from './store-chunks.js'

/** Chunks that are put into the index in one go: some milliseconds. */
const indexRows = 32
/** Texts of one call of the embedder. */
const embedRows = 16
/** A document that is read waits so long for its vectors; back-fill makes the rest. */
const embedBudgetMs = 20_000

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'budget'>

/**
 * Makes vectors for the chunks that have none, as long as the provider answers and the document may wait; the back-fill
 * of memories finds the others.
 */
export async function embedChunks(deps: Deps, { ids }: StoredChunks, signal: AbortSignal): Promise<void> {
  const until = performance.now() + embedBudgetMs
  for (const some of slicesOf(ids, embedRows)) {
    signal.throwIfAborted()
    if (!deps.embedder().status().available || performance.now() > until) return
    const known = await deps.store.tables.vectors.of(some, deps.embedder().status())
    const missing = some.filter(id => !known.has(id))
    try {
      if (missing.length > 0) await embedMemories(deps, missing)
    } catch (error) {
      if (error instanceof EmbeddingUnavailable || error instanceof EmbeddingRefused) return
      throw error
    }
  }
}

/**
 * Puts the chunks into the index, with the vectors that they have. Those that were written a moment ago and are as they
 * were are not read again.
 */
export async function indexChunks(
  deps: Deps,
  { ids, fresh }: StoredChunks,
  signal: AbortSignal,
): Promise<void> {
  const { memories } = deps.store.tables
  for (const some of slicesOf(ids, indexRows)) {
    signal.throwIfAborted()
    await deps.budget.breathe()
    const changes = await memories.changesOf(some)
    const others: string[] = []
    for (const [id, change] of changes) {
      const known = fresh.get(id)
      if (known?.row.change === change) deps.index.upsert(toEntry(known.row, known.hints))
      else others.push(id)
    }
    await indexStored(deps, others)
    await deps.index.settled()
  }
}

async function indexStored(deps: Deps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { memories, hints, vectors } = deps.store.tables
  const [rows, hintsOf, vectorsOf] = await Promise.all([
    memories.load(ids),
    hints.of(ids),
    vectors.of(ids, deps.embedder().status()),
  ])
  for (const row of rows) {
    if (isHidden(row)) continue
    deps.index.upsert(toEntry(row, hintsOf.get(row.id) ?? []))
    const vector = vectorsOf.get(row.id)
    if (vector) deps.index.setVector(row.id, vector)
  }
}
