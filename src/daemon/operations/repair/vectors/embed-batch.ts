import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmbeddingRefused, EmbeddingUnavailable, unreadText } from '../../../../store/embedding/embedder.js'
import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import { embedMemories } from '../../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

export type EmbedDeps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'configuration' | 'hooksInFlight' | 'background'
>

/** What became of the texts of a batch. `stopped` says why not all of them were looked at. */
export interface Embedded {
  embedded: number
  /** Texts that the provider does not take; their vectors stay as they were. */
  refused: number
  stopped?: 'provider' | 'ended'
  /** What the provider said. */
  error?: string
}

/**
 * Makes and stores the vectors of some memories, those that have one until then included: it stays until a validated one
 * takes its place. A text that the provider refuses costs the others nothing.
 */
export async function embedBatch(
  deps: EmbedDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Embedded> {
  try {
    await deps.hooksInFlight.quiet(signal)
    const embed = (either: AbortSignal) => embedMemories(deps, ids, either)
    const { stored: embedded, unread } = await deps.background.run(embed, signal)
    return { embedded, refused: unread.length, ...(unread.length > 0 && { error: unreadText }) }
  } catch (error) {
    if (error instanceof EmbeddingRefused) return ids.length === 1 ? refusal(error) : apart(deps, ids, signal)
    if (signal.aborted || error instanceof PipelinePaused)
      return { embedded: 0, refused: 0, stopped: 'ended' }
    if (error instanceof EmbeddingUnavailable)
      return { embedded: 0, refused: 0, stopped: 'provider', error: error.message }
    throw error
  }
}

function refusal(error: EmbeddingRefused): Embedded {
  return { embedded: 0, refused: 1, error: error.message }
}

async function apart(deps: EmbedDeps, ids: readonly string[], signal: AbortSignal): Promise<Embedded> {
  const total: Embedded = { embedded: 0, refused: 0 }
  for (const id of ids) {
    const { embedded, refused, stopped, error } = await embedBatch(deps, [id], signal)
    total.embedded += embedded
    total.refused += refused
    if (error !== undefined) total.error = error
    // What is done already is not done again: those that have their vector are no gap any more.
    if (stopped) return { ...total, stopped }
    await nextTurn()
  }
  return total
}
