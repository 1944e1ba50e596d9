/**
 * What all workers are told of. `thawed`: mutations are no longer frozen; `returned`: jobs of workers that died wait
 * again, or a full disk has room; `embeddable`: the embedding provider answers, or the index waits for another model.
 */
export type DaemonEvent = 'thawed' | 'returned' | 'embeddable'

/** Work of the background, for as long as the daemon lives. */
export interface Worker {
  /** The kind of the jobs that it does, if it does jobs. */
  readonly kind?: string
  /** Begins; called once, when every memory is in the index. */
  start(): void
  /** Looks for work soon. */
  wake?(): void
  /** True while it has work in hand that the daemon must not stop for being idle. */
  busy?(): boolean
  /** Takes note of what happened; most workers look for work again. */
  hear?(event: DaemonEvent): void
  /** Aborts the signal of the work in hand and resolves when that has ended. */
  close(): Promise<void>
}
