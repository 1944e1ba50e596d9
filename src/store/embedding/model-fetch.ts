import { messageOf } from '../../lib/text/message-of.js'
import type { EmbedderStatus } from './embedder.js'
import type { EmbeddingLog } from './provider.js'

type Progress = NonNullable<EmbedderStatus['progress']>

export interface ModelFetchOptions {
  model: string
  download(signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<void>
  /** Pause after a failure; it doubles with each one, up to an hour. */
  retryMs: number
  log: EmbeddingLog
  /** A download began, ended or failed. */
  onChange(): void
}

/** Fetches a model in the background, again and again with growing pauses until it is here. */
export interface ModelFetch {
  /** Returns at once; `force` starts now instead of after the pause. Nothing happens while a download runs. */
  start(force: boolean): void
  progress(): Progress | undefined
  /** Why the last download failed; undefined when none has. */
  error(): string | undefined
  close(): Promise<void>
}

const longestPauseMs = 3_600_000

/** One download at a time; after a first request it is retried until it succeeds. */
export function createModelFetch({ model, download, retryMs, log, onChange }: ModelFetchOptions): ModelFetch {
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let progress: Progress | undefined
  let failures = 0
  let error: string | undefined

  const run = async () => {
    progress = { loadedBytes: 0, totalBytes: null, file: '' }
    onChange()
    log.info({ model }, 'downloading the embedding model')
    try {
      await download(closing.signal, current => {
        progress = current
      })
      error = undefined
      failures = 0
      log.info({ model }, 'the embedding model is here')
    } catch (cause) {
      if (closing.signal.aborted) return
      error = messageOf(cause)
      const pauseMs = Math.min(retryMs * 2 ** failures, longestPauseMs)
      failures += 1
      timer = setTimeout(start, pauseMs).unref()
      log.warn({ model, error, pauseMs }, 'the embedding model could not be downloaded')
    } finally {
      progress = undefined
      running = undefined
      if (!closing.signal.aborted) onChange()
    }
  }
  const start = () => {
    if (running || closing.signal.aborted) return
    clearTimeout(timer)
    timer = undefined
    running = run()
  }

  return {
    start(force) {
      if (force || !timer) start()
    },
    progress: () => progress,
    error: () => error,
    async close() {
      clearTimeout(timer)
      closing.abort()
      await running
    },
  }
}
