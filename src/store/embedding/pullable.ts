import type { Embedder } from './embedder.js'

export interface PullableOptions {
  /** The sentence model that is to follow. */
  openNext(): Embedder
  /** The settings ask for it: with the first text it is fetched, where that is allowed. */
  isWanted: boolean
  /** Called once it is on this machine. */
  onPulled(): void
}

/**
 * An embedder that works while the sentence model that is to follow it is fetched: `pull` fetches that one, and the status
 * tells how far it is, or why it does not come.
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
      // Closed with this embedder, which `onPulled` replaces.
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
