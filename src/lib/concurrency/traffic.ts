/** Counts what is under way, for those who wait until nothing is. */
export interface Traffic {
  /** @returns call it at the end; a second call does nothing. */
  enter(): () => void
  /** Resolves once nothing is under way, at once where nothing is; or when the signal is aborted. */
  quiet(signal: AbortSignal): Promise<void> | undefined
  /** Whether nothing is under way. */
  isQuiet(): boolean
}

export function createTraffic(): Traffic {
  const inside = new Set<symbol>()
  const waiting = new Set<() => void>()
  return {
    enter: () => {
      const ticket = Symbol('under way')
      inside.add(ticket)
      return () => {
        if (!inside.delete(ticket) || inside.size > 0) return
        for (const goOn of waiting) goOn()
      }
    },
    isQuiet: () => inside.size === 0,
    quiet: signal => {
      if (inside.size === 0 || signal.aborted) return undefined
      return new Promise(resolve => {
        const goOn = (): void => {
          waiting.delete(goOn)
          signal.removeEventListener('abort', goOn)
          resolve()
        }
        waiting.add(goOn)
        signal.addEventListener('abort', goOn)
      })
    },
  }
}
