import type { Embedder } from './embedder.js'

export interface PullableOptions {
  /** Opens the sentence model that will replace the embedder. */
  openNext(): Embedder
  /** The settings select it: the first text starts its download, if allowed. */
  isWanted: boolean
  /** Called once it is on this machine. */
  onPulled(): void
}

/**
 * Wraps an embedder so that `pull` downloads the sentence model that will replace it; the status includes
 * that download's progress or error.
 */
export function pullableEmbedder(
  embedder: Embedder,
  { openNext, isWanted, onPulled }: PullableOptions,
): Embedder {
  let next: Embedder | undefined
  const opened = (): Embedder => {
    next ??= openNext()
    next.onChange(({ state }) => {
      if (state === 'missing' || state === 'downloading') return
      // The caller of `onPulled` closes it together with this embedder.
      onPulled()
    })
    return next
  }
  return {
    ...embedder,
    status() {
      const status = embedder.status()
      const fetched = next?.status()
      if (!fetched) return status
      const { error, progress } = fetched
      return fetched.state === 'downloading'
        ? { ...status, state: 'downloading', ...(progress && { progress }) }
        : { ...status, ...(error && { error }) }
    },
    embed(texts, options) {
      if (isWanted && !next) opened().warm()
      return embedder.embed(texts, options)
    },
    pull() {
      const model = next ?? opened()
      model.pull()
    },
    async close() {
      await Promise.all([embedder.close(), next?.close()])
    },
  }
}
