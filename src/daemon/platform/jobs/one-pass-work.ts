import type { Worker } from './worker.js'

export interface OnePassOptions {
  /** One pass over everything; it ends soon once the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
  onError(error: unknown): void
}

/** Calls `run` once at a start, and again when mutations are thawed or the disk has room again. */
export function createOnePassWork({ run, onError }: OnePassOptions): Worker {
  const life = new AbortController()
  const state = { working: undefined as Promise<void> | undefined }
  const wake = (): void => {
    if (life.signal.aborted) return
    state.working ??= run(life.signal)
      .catch(onError)
      .finally(() => {
        state.working = undefined
      })
  }
  return {
    start: wake,
    hear: event => {
      if (event === 'thawed' || event === 'returned') wake()
    },
    close: async () => {
      life.abort()
      await state.working
    },
  }
}
