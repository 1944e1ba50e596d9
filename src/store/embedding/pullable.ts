import type { Embedder } from './embedder.js'

/**
 * An embedder that works while the sentence model that is to follow it is fetched: `pull` fetches that one, and the status
 * tells how far it is, or why it does not come.
 * @param onPulled called once the model is on this machine
 */
export function pullableEmbedder(
  embedder: Embedder,
  openNext: () => Embedder,
  onPulled: () => void,
): Embedder {
  let next: Embedder | undefined
  const startPull = (): Embedder => {
    const opened = openNext()
    opened.onChange(({ state }) => {
      if (state === 'missing' || state === 'downloading') return
      // Closed with this embedder, which `onPulled` replaces.
      onPulled()
    })
    return opened
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
    pull() {
      next ??= startPull()
      next.pull()
    },
    async close() {
      await Promise.all([embedder.close(), next?.close()])
    },
  }
}
