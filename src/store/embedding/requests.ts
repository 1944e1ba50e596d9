import {
  type EmbeddedText,
  type Embedder,
  EmbeddingRefused,
  EmbeddingUnavailable,
  type EmbedOptions,
  type ProviderCall,
} from './embedder.js'
import type { Health } from './health.js'
import type { ModelProfile } from './models.js'
import { type EmbeddingProvider, ProviderError, TextRefused } from './provider.js'

export interface RequestsOptions {
  provider: EmbeddingProvider
  health: Health
  profile: ModelProfile
  /** Requests checked unit vectors from the provider. */
  ask(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedText[]>
  /** Embeds one text synchronously, if the provider can. */
  askAtOnce(text: string): EmbeddedText[] | undefined
  /** Called after each call of the provider, but not for cached answers. */
  onAsked?(asked: ProviderCall): void
}

const defaultDeadlineMs = 10_000
const backgroundDeadlineMs = 60_000
const maxWaiting = 256
const cachedQueries = 256
// Models read some 500 tokens and hosted ones refuse more than 8,000; further text would cost time and change
// nothing.
const maxTextChars = 6_000

export interface EmbedRequest {
  texts: readonly string[]
  deadlineMs: number
  signal?: AbortSignal
  background: boolean
}

export interface EmbedQueueOptions extends Pick<EmbeddingProvider, 'concurrency' | 'batch'> {
  /** Maximum number of waiting requests, for background and foreground work each. */
  maxWaiting: number
  run(texts: readonly string[], signal: AbortSignal): Promise<EmbeddedText[]>
  /**
   * Called when a request missed its deadline while the provider worked on it (not while it waited in the
   * queue).
   */
  onSlow(request: EmbedRequest): void
}

interface EmbedQueue {
  /**
   * @throws EmbeddingUnavailable when the queue is full or closed or the deadline passes; the signal's reason
   * when aborted.
   */
  submit(request: EmbedRequest): Promise<EmbeddedText[]>
  close(): void
}

interface Job extends EmbedRequest {
  vectors: EmbeddedText[]
  running: boolean
  controller: AbortController
  resolve(vectors: EmbeddedText[]): void
  reject(reason: unknown): void
}

/** Passes a call through cache, admission, queue and provider; each outcome is reported to `health`. */
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

/** Creates a queue that reports the outcome of each provider call to `health`. */
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
        // A provider that never answered may refuse every text, so it is probed.
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

/** @throws the embedder's error that corresponds to the provider's. */
function throwForCaller(error: unknown): never {
  if (error instanceof TextRefused) throw new EmbeddingRefused(error.message, { cause: error })
  if (error instanceof ProviderError) throw new EmbeddingUnavailable(error.message, { cause: error })
  throw error
}

/** Returns false while the model's files are not on this machine. */
export function isPresent(provider: EmbeddingProvider): boolean {
  return !['missing', 'downloading'].includes(provider.readiness().state)
}

/** Truncates long text, never inside a surrogate pair. */
function clip(text: string): string {
  return text.length > maxTextChars ? text.slice(0, maxTextChars).replace(/[\uD800-\uDBFF]$/, '') : text
}

interface QueryCache {
  get(text: string): Float32Array | undefined
  set(text: string, vector: Float32Array): void
}

/**
 * Caches the vectors of the most recently used `maxEntries` texts. It returns copies, which callers may
 * change.
 */
export function createQueryCache(maxEntries: number): QueryCache {
  // A Map keeps insertion order, so used entries move to the end and the first is the oldest.
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

/**
 * Runs requests in batches. Background work runs only while no foreground request waits, and abandoned
 * requests are skipped.
 */
export function createEmbedQueue(options: EmbedQueueOptions): EmbedQueue {
  const waiting = { foreground: [] as Job[], background: [] as Job[] }
  const running = new Set<Job>()
  const lane = (job: EmbedRequest) => (job.background ? waiting.background : waiting.foreground)

  const pump = () => {
    while (running.size < options.concurrency.total) {
      const job = waiting.foreground.shift() ?? (mayRunBackground() ? waiting.background.shift() : undefined)
      if (!job) return
      void runBatch(job)
    }
  }
  const mayRunBackground = () =>
    [...running].filter(job => job.background).length < options.concurrency.background

  const runBatch = async (job: Job) => {
    job.running = true
    running.add(job)
    try {
      const batch = nextBatch(job, options.batch)
      job.vectors.push(...(await options.run(batch, job.controller.signal)))
      if (job.vectors.length === job.texts.length) job.resolve(job.vectors)
      // Puts the rest at the front, so that requests finish in order.
      else if (!job.controller.signal.aborted) lane(job).unshift(job)
    } catch (error) {
      job.reject(error)
    } finally {
      job.running = false
      running.delete(job)
      pump()
    }
  }

  const drop = (job: Job, reason: unknown) => {
    const position = lane(job).indexOf(job)
    if (position >= 0) lane(job).splice(position, 1)
    job.reject(reason)
    job.controller.abort(reason)
  }

  return {
    submit(request) {
      const { signal } = request
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (lane(request).length >= options.maxWaiting) {
        return Promise.reject(new EmbeddingUnavailable('too many texts are waiting for a vector'))
      }
      return new Promise((resolve, reject) => {
        lane(request).push(newJob(request, { resolve, reject, drop, onSlow: options.onSlow }))
        pump()
      })
    },
    close() {
      const reason = new EmbeddingUnavailable('the embedder is closed')
      for (const job of [...waiting.foreground, ...waiting.background, ...running]) drop(job, reason)
    },
  }
}

interface JobEvents extends Pick<Job, 'resolve' | 'reject'>, Pick<EmbedQueueOptions, 'onSlow'> {
  drop(job: Job, reason: unknown): void
}

/** Creates a job whose deadline and signal are watched until it settles. */
function newJob(request: EmbedRequest, { resolve, reject, drop, onSlow }: JobEvents): Job {
  const { deadlineMs, signal } = request
  const onAbort = () => drop(job, signal?.reason)
  const onDeadline = () => {
    if (job.running) onSlow(request)
    drop(job, new EmbeddingUnavailable(`no vector within ${deadlineMs} ms`))
  }
  const timer = setTimeout(onDeadline, deadlineMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  const stopWatching = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
  const job: Job = {
    ...request,
    vectors: [],
    running: false,
    controller: new AbortController(),
    resolve(vectors) {
      stopWatching()
      resolve(vectors)
    },
    reject(reason) {
      stopWatching()
      reject(reason)
    },
  }
  return job
}

function nextBatch({ texts, vectors }: Job, { maxTexts, maxChars }: EmbedQueueOptions['batch']): string[] {
  const batch: string[] = []
  let chars = 0
  for (const text of texts.slice(vectors.length, vectors.length + maxTexts)) {
    chars += text.length
    if (batch.length > 0 && chars > maxChars) break
    batch.push(text)
  }
  return batch
}
