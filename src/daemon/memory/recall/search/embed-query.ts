import { EmbeddingRefused, EmbeddingUnavailable, unreadText } from '../../../../store/embedding/embedder.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { weights } from '../ranking/weights.js'

/** The vector of a query, and whether the built-in model made it. */
export interface QueryVector {
  vector?: Float32Array | undefined
  wordVectors: boolean
}

/** Embeds a query, or returns the reason why it could not. */
export async function embedQuery(
  { embedder, log }: Pick<Daemon, 'embedder' | 'log'>,
  query: string,
): Promise<QueryVector & { problem?: string }> {
  const { available, state, error, provider } = embedder().status()
  const wordVectors = provider === 'static'
  if (!available) {
    if (state !== 'off') embedder().warm()
    return { wordVectors, problem: error ?? `embedding is ${state}` }
  }
  try {
    const [vector] = await embedder().embed([query], {
      kind: 'query',
      deadlineMs: weights.candidates.embedMs,
    })
    return vector ? { wordVectors, vector } : { wordVectors, problem: unreadText }
  } catch (cause) {
    if (cause instanceof EmbeddingUnavailable || cause instanceof EmbeddingRefused)
      return { wordVectors, problem: cause.message }
    log.warn({ err: cause }, 'query embedding failed')
    return { wordVectors, problem: 'embedding failed' }
  }
}
