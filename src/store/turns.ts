/** Exclusive use of something, in turn. */
export interface Turns {
  /** Resolves in the caller's turn; undefined when it is at once. */
  take(): Promise<void> | undefined
  leave(): void
}

/** First come, first served. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = []
  let taken = false
  return {
    take: () => {
      if (taken) return new Promise(resolve => waiting.push(resolve))
      taken = true
      return undefined
    },
    leave: () => {
      const next = waiting.shift()
      if (next) next()
      else taken = false
    },
  }
}
