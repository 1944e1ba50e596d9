import {
  type EmbedderStatus,
  EmbeddingRefused,
  EmbeddingUnavailable,
  unreadText,
} from '../../../../store/embedding/embedder.js'
import { defaultModels } from '../../../../store/embedding/models.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { ModelKind } from '../ranking/evidence.js'
import { weights } from '../ranking/weights.js'

/** The vector of a query, and its model. */
export interface QueryVector {
  vector?: Float32Array | undefined
  model: ModelKind
}

/** Embeds a query, or returns the reason why it could not. */
export async function embedQuery(
  { embedder, log }: Pick<Daemon, 'embedder' | 'log'>,
  query: string,
): Promise<QueryVector & { problem?: string }> {
  const { available, state, error, ...status } = embedder().status()
  const model = modelKind(status)
  if (!available) {
    if (state !== 'off') embedder().warm()
    return { model, problem: error ?? `embedding is ${state}` }
  }
  try {
    const [vector] = await embedder().embed([query], {
      kind: 'query',
      deadlineMs: weights.candidates.embedMs,
    })
    return vector ? { model, vector } : { model, problem: unreadText }
  } catch (cause) {
    if (cause instanceof EmbeddingUnavailable || cause instanceof EmbeddingRefused)
      return { model, problem: cause.message }
    log.warn({ err: cause }, 'query embedding failed')
    return { model, problem: 'embedding failed' }
  }
}

function modelKind({ provider, model }: Pick<EmbedderStatus, 'provider' | 'model'>): ModelKind {
  if (provider === 'static') return 'words'
  return provider === 'local' && model === defaultModels.local ? 'sentences' : 'other'
}
