import type { JobReport } from './job-meter.js'

/**
 * Events sent to all workers. `thawed`: mutations are no longer frozen. `returned`: jobs of dead workers are
 * pending again, or the disk has space again. `embeddable`: the embedding provider answers, or the index
 * waits for vectors of another model. `configured`: settings changed. `elsewhere`: another daemon that shares
 * the database may have queued work.
 */
export type DaemonEvent = 'thawed' | 'returned' | 'embeddable' | 'configured' | 'elsewhere'

/** Background work for the lifetime of a daemon. */
export interface Worker {
  /** The kind of jobs it runs, if any. */
  readonly kind?: string
  /** Begins; called once, when every memory is in the index. */
  start(): void
  /** Checks for work soon. @param subject to work on without a job */
  wake?(subject?: string): void
  /** True while work keeps an idle daemon from stopping. */
  busy?(): boolean
  /** Load and failures of its jobs. */
  report?(): JobReport
  /** Handles an event; most workers check for work. */
  hear?(event: DaemonEvent): void
  /**
   * The daemon accepts no new requests from now on; the worker ends whatever keeps running ones open. `close`
   * follows.
   */
  stopping?(): void
  /** Aborts the running work and resolves when it has ended. */
  close(): Promise<void>
}

interface OnePassOptions {
  /** One pass over everything; it ends soon once the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  onError(error: unknown): void
}

/** Calls `run` once at the start, and again when mutations are thawed or the disk has space again. */
export function createOnePassWork({ run, onError }: OnePassOptions): Worker {
  const life = new AbortController()
  let working: Promise<void> | undefined
  const wake = (): void => {
    if (life.signal.aborted) return
    working ??= run(life.signal)
      .catch(onError)
      .finally(() => {
        working = undefined
      })
  }
  return {
    start: wake,
    hear: event => {
      if (event === 'thawed' || event === 'returned') wake()
    },
    close: async () => {
      life.abort()
      await working
    },
  }
}
