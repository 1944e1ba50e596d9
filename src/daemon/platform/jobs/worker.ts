import type { JobReport } from './job-meter.js'

/**
 * Events that all workers are told of. `thawed`: mutations are no longer frozen. `returned`: jobs of workers that died
 * are pending again, or the disk has room again. `embeddable`: the embedding provider answers, or the index waits for
 * vectors of another model. `configured`: other settings are in force.
 */
export type DaemonEvent = 'thawed' | 'returned' | 'embeddable' | 'configured'

/** Work of the background, for as long as the daemon lives. */
export interface Worker {
  /** The kind of the jobs that it does, if it does jobs. */
  readonly kind?: string
  /** Begins; called once, when every memory is in the index. */
  start(): void
  /** Checks for work soon. */
  wake?(): void
  /** True while work is going on that keeps an idle daemon from stopping. */
  busy?(): boolean
  /** How the jobs of its kind do. */
  report?(): JobReport
  /** Handles an event; most workers check for work. */
  hear?(event: DaemonEvent): void
  /** The daemon takes no new requests from now on: ends what would keep those in hand open. `close` follows. */
  stopping?(): void
  /** Aborts the signal of the work in hand and resolves when that has ended. */
  close(): Promise<void>
}

interface OnePassOptions {
  /** One pass over everything; it ends soon once the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  onError(error: unknown): void
}

/** Calls `run` once at a start, and again when mutations are thawed or the disk has room again. */
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
