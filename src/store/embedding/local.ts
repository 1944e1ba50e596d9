import { join } from 'node:path'
import { messageOf } from '../../lib/text/message-of.js'
import { threadUrl } from '../../lib/threads/thread-url.js'
import { findWeights, hubFolder, missingFile, type Weights } from '../../lib/workspace/model-folder.js'
import { expandHome } from '../../lib/workspace/paths.js'
import { downloadModel } from './download.js'
import type { EmbedderStatus, RuntimeKind } from './embedder.js'
import { type ModelProfile, modelName, type ProviderSettings } from './models.js'
import type { Fetch } from './outbound.js'
import {
  type EmbeddingLog,
  type EmbeddingProvider,
  ProviderError,
  type ProviderReadiness,
} from './provider.js'
import { type SessionOptions, startSession, type WorkerSession } from './worker-session.js'

export interface LocalProviderOptions {
  settings: ProviderSettings
  profile: ModelProfile
  modelsDir: string
  /** Folder of an installed native runtime, if any. */
  runtimeDir: string
  allowDownload: boolean
  remoteHost?: string
  fetch: Fetch
  workerUrl?: URL
  /** Pause after a failed download; it doubles up to an hour. */
  downloadRetryMs?: number
  downloadStallMs?: number
  log?: EmbeddingLog
  onChange(): void
  onLoaded(): void
}

type Progress = NonNullable<EmbedderStatus['progress']>

export interface ModelFetchOptions {
  model: string
  download(signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<void>
  /** Pause after a failure; it doubles with each one, up to an hour. */
  retryMs: number
  log: EmbeddingLog
  /** Called when a download starts, ends or fails. */
  onChange(): void
}

/** Downloads a model in the background, retrying with growing pauses until it succeeds. */
interface ModelFetch {
  /** Returns at once; `force` skips the pause. Does nothing while a download is running. */
  start(force: boolean): void
  progress(): Progress | undefined
  /** Returns the last download's error; undefined when there is none. */
  error(): string | undefined
  close(): Promise<void>
}

const longestPauseMs = 3_600_000

/** Creates a provider for a local sentence model in a worker thread, downloading its files if needed. */
export function localProvider(options: LocalProviderOptions): EmbeddingProvider {
  const { settings, modelsDir, runtimeDir, allowDownload, onChange } = options
  const model = modelName(settings)
  const configuredFolder = settings.modelPath && expandHome(settings.modelPath)
  const folder = hubFolder(modelsDir, model)
  const fetching = folder ? fetchInto(folder, model, options) : undefined
  let weights: Weights | null = null
  let worker: LocalWorker | undefined

  const locate = () => {
    weights ??= findWeights([configuredFolder, folder])
    return weights
  }
  const openWorker = ({ folder, format }: Weights) => {
    worker ??= createLocalWorker({
      setup: { folder, format, pooling: options.profile.pooling, runtimeDir },
      url: options.workerUrl ?? defaultWorkerUrl(),
      idleUnloadMs: settings.idleUnloadMs,
      onChange() {
        if (worker?.state() === 'loaded') options.onLoaded()
        onChange()
      },
    })
    return worker
  }
  const missing = () => {
    const broken =
      configuredFolder && `embedding.modelPath "${configuredFolder}" lacks ${missingFile(configuredFolder)}`
    const reasons = [broken, fetching?.error(), `the model ${model} is not on this machine`]
    const pull = fetching ? '`memory embedding pull` or ' : ''
    return `${reasons.filter(Boolean).join('; ')}: run ${pull}\`memory embedding use PATH\``
  }

  return {
    // One text at a time, so that a query waits for one text of the background at most.
    concurrency: { total: 1, background: 1 },
    batch: { maxTexts: 1, maxChars: 6_000 },
    readiness(): ProviderReadiness {
      if (locate())
        return { state: worker?.state() === 'loading' ? 'loading' : 'ready', runtime: worker?.runtime() }
      const progress = fetching?.progress()
      return progress ? { state: 'downloading', progress } : { state: 'missing', error: missing() }
    },
    prepare(force) {
      if (!locate() && (force || allowDownload)) fetching?.start(force)
    },
    async embed(texts) {
      const found = locate()
      if (!found) throw new ProviderError(missing(), { atOnce: true })
      return openWorker(found).embed(texts)
    },
    async close() {
      await Promise.all([fetching?.close(), worker?.close()])
    },
  }
}

const silentLog: EmbeddingLog = { info: () => undefined, warn: () => undefined }

function fetchInto(folder: string, model: string, options: LocalProviderOptions): ModelFetch {
  const { modelsDir, remoteHost = 'https://huggingface.co', fetch, onChange } = options
  const { downloadRetryMs = 30_000, downloadStallMs = 30_000, log = silentLog } = options
  const temporaryFolder = join(modelsDir, '.partial', ...model.split('/'))
  return createModelFetch({
    model,
    retryMs: downloadRetryMs,
    log,
    onChange,
    download: (signal, onProgress) =>
      downloadModel({
        model,
        folder,
        temporaryFolder,
        remoteHost,
        fetch,
        signal,
        stallMs: downloadStallMs,
        onProgress,
      }),
  })
}

export interface LocalWorkerOptions extends Omit<SessionOptions, 'onEnd'> {
  /** Called when the model was loaded, and when the thread ended: on request, after a crash or when idle. */
  onChange(): void
}

export interface LocalWorker {
  state(): 'unloaded' | 'loading' | 'loaded'
  /** Runtime at the last load. */
  runtime(): RuntimeKind | undefined
  /** @throws ProviderError when the model can't be loaded, the call fails or times out, or the thread dies */
  embed(texts: readonly string[]): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Returns the default worker file: next to this source, or next to the bundle. */
export function defaultWorkerUrl(): URL {
  return threadUrl({ from: import.meta.url, source: './worker.js', bundle: './embedding-worker.js' })
}

/**
 * Runs the model in a thread. There is one thread at a time; after a crash the next call starts a new one.
 */
export function createLocalWorker({ onChange, ...options }: LocalWorkerOptions): LocalWorker {
  let session: WorkerSession | undefined
  let runtime: RuntimeKind | undefined

  const onEnd = (ended: WorkerSession) => {
    if (session !== ended) return
    session = undefined
    onChange()
  }
  const openSession = () => {
    if (session) return session
    const opened = startSession({ ...options, onEnd })
    session = opened
    opened.loaded.then(
      loaded => {
        runtime = loaded
        onChange()
      },
      () => undefined,
    )
    onChange()
    return opened
  }

  return {
    state() {
      if (!session) return 'unloaded'
      return session.isLoaded() ? 'loaded' : 'loading'
    },
    runtime: () => runtime,
    embed: texts => openSession().embed(texts),
    async close() {
      await session?.end(new ProviderError('the embedder is closed'))
    },
  }
}

/** Runs one download at a time; after the first request it is retried until it succeeds. */
function createModelFetch({ model, download, retryMs, log, onChange }: ModelFetchOptions): ModelFetch {
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
