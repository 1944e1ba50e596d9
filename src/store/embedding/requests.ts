import {
  type AskedTexts,
  type EmbeddedText,
  type Embedder,
  EmbeddingRefused,
  EmbeddingUnavailable,
  type EmbedOptions,
} from './embedder.js'
import type { Health } from './health.js'
import type { ModelProfile } from './models.js'
import { type EmbeddingProvider, ProviderError, TextRefused } from './provider.js'
import { createEmbedQueue, type EmbedQueue, type EmbedRequest } from './queue.js'

export interface RequestsOptions {
  provider: EmbeddingProvider
  health: Health
  profile: ModelProfile
  /** Checked unit vectors straight from the provider. */
  ask(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedText[]>
  /** The same of one text, where the provider makes it at once. */
  askAtOnce(text: string): EmbeddedText[] | undefined
  /** Told of each call that was made of the provider, not of what a cache answers. */
  onAsked?(asked: AskedTexts): void
}

const defaultDeadlineMs = 10_000
const backgroundDeadlineMs = 60_000
const maxWaiting = 256
const cachedQueries = 256
// Models read some 500 tokens and the hosted ones refuse more than 8,000: what is beyond would cost and change nothing.
const maxTextChars = 6_000

/** The way of a call: cache, admission, queue, provider; each outcome is reported to `health`. */
export function createRequests(options: RequestsOptions): Pick<Embedder, 'embed'> & { close(): void } {
  const { provider, health, profile, askAtOnce, onAsked } = options
  const cache = createQueryCache(cachedQueries)
  const queue = createReportingQueue(options)
  let closed = false

  const answer = async (request: EmbedRequest): Promise<EmbeddedText[]> => {
    const [text, ...others] = request.texts
    const made = text !== undefined && others.length === 0 ? askAtOnce(text) : undefined
    if (!made) return queue.submit(request)
    health.answered()
    return made
  }
  const submit = async (texts: readonly string[], options: EmbedOptions) => {
    if (texts.length === 0) return []
    if (closed) throw new EmbeddingUnavailable('the embedder is closed')
    const { background = false, signal } = options
    const deadlineMs = options.deadlineMs ?? (background ? backgroundDeadlineMs : defaultDeadlineMs)
    if (!isPresent(provider)) {
      provider.prepare(false)
      throw new EmbeddingUnavailable(provider.readiness().error ?? 'the embedding model is being downloaded')
    }
    health.admit({ deadlineMs, background })
    const asked = { texts, kind: options.kind, background }
    const vectors = await answer({ texts, deadlineMs, background, ...(signal && { signal }) }).catch(
      error => {
        onAsked?.({ ...asked, outcome: 'error' })
        return throwForCaller(error)
      },
    )
    onAsked?.({ ...asked, outcome: 'ok' })
    if (!background) health.answeredInTime()
    return vectors
  }

  return {
    async embed(texts, options) {
      if (options.kind === 'document')
        return submit(
          texts.map(text => profile.documentPrefix + clip(text)),
          options,
        )
      const queries = texts.map(text => profile.queryPrefix + clip(text))
      const vectors = new Map(queries.map(query => [query, cache.get(query)]))
      const unknown = [...vectors.keys()].filter(query => !vectors.get(query))
      for (const [index, vector] of (await submit(unknown, options)).entries()) {
        vectors.set(unknown[index]!, vector)
        if (vector) cache.set(unknown[index]!, vector)
      }
      return queries.map(query => vectors.get(query))
    },
    close() {
      closed = true
      queue.close()
    },
  }
}

/** A queue before the provider that tells `health` how each of its calls went. */
function createReportingQueue({ provider, health, ask }: RequestsOptions): EmbedQueue {
  return createEmbedQueue({
    concurrency: provider.concurrency,
    batch: provider.batch,
    maxWaiting,
    async run(texts, signal) {
      try {
        const vectors = await ask(texts, signal)
        health.answered()
        return vectors
      } catch (error) {
        // One that never answered may refuse every text: it is asked for itself.
        if (error instanceof TextRefused) health.check()
        else if (!signal.aborted) health.failed(error)
        throw error
      }
    },
    onSlow({ background, deadlineMs }) {
      if (!background) health.tooSlow(deadlineMs)
    },
  })
}

/** @throws the embedder's own kind of error for one of the provider's. */
function throwForCaller(error: unknown): never {
  if (error instanceof TextRefused) throw new EmbeddingRefused(error.message, { cause: error })
  if (error instanceof ProviderError) throw new EmbeddingUnavailable(error.message, { cause: error })
  throw error
}

/** False while the model's files are not on this machine. */
export function isPresent(provider: EmbeddingProvider): boolean {
  return !['missing', 'downloading'].includes(provider.readiness().state)
}

/** Cuts long text, never inside a surrogate pair. */
function clip(text: string): string {
  return text.length > maxTextChars ? text.slice(0, maxTextChars).replace(/[\uD800-\uDBFF]$/, '') : text
}

interface QueryCache {
  get(text: string): Float32Array | undefined
  set(text: string, vector: Float32Array): void
}

/** The vectors of the most recently used `maxEntries` texts. Answers are copies: a caller may keep and change its own. */
export function createQueryCache(maxEntries: number): QueryCache {
  // A Map keeps insertion order: what is used moves to the end, the start is what was used longest ago.
  const entries = new Map<string, Float32Array>()
  return {
    get(text) {
      const vector = entries.get(text)
      if (!vector) return
      entries.delete(text)
      entries.set(text, vector)
      return vector.slice()
    },
    set(text, vector) {
      entries.delete(text)
      entries.set(text, vector.slice())
      if (entries.size <= maxEntries) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
  }
}
