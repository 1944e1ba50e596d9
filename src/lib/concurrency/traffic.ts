/** Counts running operations for callers that wait until none is left. */
export interface Traffic {
  /** @returns a function to call at the end; a second call has no effect. */
  enter(): () => void
  /** Resolves once nothing is running or the signal is aborted; returns undefined if that is already so. */
  quiet(signal: AbortSignal): Promise<void> | undefined
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
