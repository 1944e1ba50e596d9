import { threadUrl } from '../../lib/threads/thread-url.js'
import type { RuntimeKind } from './embedder.js'
import { ProviderError } from './provider.js'
import { type SessionOptions, startSession, type WorkerSession } from './worker-session.js'

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
  return threadUrl({ from: import.meta.url, source: './worker.ts', bundle: './embedding-worker.js' })
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
