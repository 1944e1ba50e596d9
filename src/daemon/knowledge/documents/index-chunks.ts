import { slicesOf } from '../../../lib/text/slices-of.js'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import { isHidden, toEntry } from '../../ground/index/memory-entries.js'
import { embedMemories } from '../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { StoredChunks } from './store-chunks.js'

/** Chunks indexed in one turn of the event loop: some milliseconds. */
const indexRows = 32
/** Texts per call of the embedder. */
const embedRows = 16
/** Longest time that a document waits for its vectors; the back-fill makes the rest. */
const embedBudgetMs = 20_000

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'budget'>

/**
 * Makes missing vectors while the provider answers and time is left; the back-fill of memories makes the
 * others.
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
 * Indexes the chunks with their vectors. Chunks that were just written and have not changed are not loaded
 * again.
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
