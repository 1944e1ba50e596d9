import { type EmbeddedText, EmbeddingUnavailable } from './embedder.js'
import type { EmbeddingProvider } from './provider.js'

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

export interface EmbedQueue {
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
