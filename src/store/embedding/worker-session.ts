import { type Calls, createCalls } from '../../lib/concurrency/calls.js'
import { deferred } from '../../lib/concurrency/deferred.js'
import { endThread, startThread } from '../../lib/threads/run-protected.js'
import type { WeightFormat } from '../../lib/workspace/model-folder.js'
import type { RuntimeKind } from './embedder.js'
import type { Pooling } from './models.js'
import { ProviderError } from './provider.js'

export interface SessionOptions {
  setup: WorkerSetup
  url: URL
  /** The thread ends after this long without a request. */
  idleUnloadMs: number
  loadTimeoutMs?: number
  callTimeoutMs?: number
  /** Called once, when no further call can be answered. */
  onEnd(session: WorkerSession): void
}

/** One thread from start to end. */
export interface WorkerSession {
  /** Resolves with the runtime. @throws ProviderError when the model can't be loaded */
  loaded: Promise<RuntimeKind>
  isLoaded(): boolean
  /** @throws ProviderError when the call fails or times out, or the thread ends before it answers */
  embed(texts: readonly string[]): Promise<Float32Array[]>
  end(reason: ProviderError): Promise<void>
}

/** Starts a thread that loads the model; earlier calls wait until it is ready. */
export function startSession(options: SessionOptions): WorkerSession {
  const { setup, url, idleUnloadMs, loadTimeoutMs = 60_000, callTimeoutMs = 30_000, onEnd } = options
  const worker = startThread(url, { workerData: setup })
  let ended = false
  let idleTimer: NodeJS.Timeout | undefined

  const endFor = (message: string, atOnce = false) => void session.end(new ProviderError(message, { atOnce }))
  const loading = createLoading(loadTimeoutMs, () =>
    endFor(`the model did not load within ${loadTimeoutMs} ms`),
  )
  const calls = createCalls<Float32Array>({
    timeoutMs: callTimeoutMs,
    onTimeout: () => endFor(`the model did not answer within ${callTimeoutMs} ms`),
  })

  const session: WorkerSession = {
    loaded: loading.promise,
    isLoaded: loading.isDone,
    async embed(texts) {
      await loading.promise
      if (ended) throw new ProviderError('the model was unloaded')
      clearTimeout(idleTimer)
      const values = await calls.open(id => worker.postMessage({ id, texts } satisfies WorkerRequest))
      return split(values, texts.length)
    },
    async end(reason) {
      if (ended) return
      ended = true
      clearTimeout(idleTimer)
      loading.fail(reason)
      calls.rejectAll(reason)
      onEnd(session)
      await endThread(worker)
    },
  }

  worker.on('message', (reply: WorkerReply) => {
    if (reply.type === 'failed') return endFor(`the model can't be loaded: ${reply.error}`, true)
    if (reply.type === 'loaded') loading.succeed(reply.runtime)
    else settle(calls, reply)
    if (calls.count() === 0) idleTimer = setTimeout(endFor, idleUnloadMs, 'the model was unloaded').unref()
  })
  worker.on('error', error => endFor(`the model thread crashed: ${error.message}`))
  worker.on('exit', code => endFor(`the model thread exited (code ${code})`))
  return session
}

/** Waits until the model is loaded, with a time limit. */
function createLoading(timeoutMs: number, onTimeout: () => void) {
  const { promise, resolve, reject } = deferred<RuntimeKind>()
  // Without a waiting caller the rejection must not end the process.
  promise.catch(() => undefined)
  const timer = setTimeout(onTimeout, timeoutMs).unref()
  let done = false
  return {
    promise,
    isDone: () => done,
    succeed(runtime: RuntimeKind) {
      done = true
      clearTimeout(timer)
      resolve(runtime)
    },
    fail(reason: ProviderError) {
      clearTimeout(timer)
      reject(reason)
    },
  }
}

/** Settles the call that a reply belongs to. */
function settle(calls: Calls<Float32Array>, reply: Extract<WorkerReply, { id: number }>): void {
  if (reply.type === 'error') calls.reject(reply.id, new ProviderError(reply.error))
  else calls.resolve(reply.id, reply.values)
}

function split(values: Float32Array, rows: number): Float32Array[] {
  const length = values.length / rows
  return Array.from({ length: rows }, (_, row) => values.slice(row * length, (row + 1) * length))
}

export interface WorkerSetup {
  folder: string
  format: WeightFormat
  pooling: Pooling
  /** Folder of an installed native runtime, if any. */
  runtimeDir: string
}

export interface WorkerRequest {
  id: number
  texts: readonly string[]
}

/** `loaded` or `failed` comes once, before any answer; an answer contains all vectors in sequence. */
export type WorkerReply =
  | { type: 'loaded'; runtime: RuntimeKind }
  | { type: 'failed'; error: string }
  | { type: 'vectors'; id: number; values: Float32Array }
  | { type: 'error'; id: number; error: string }
