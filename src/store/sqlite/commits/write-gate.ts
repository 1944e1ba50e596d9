/** Blocks writes while another process changes the whole file; reads continue. */
export interface WriteGate {
  /** Blocks writes; the first one that arrives calls `onWanted`. Call it between transactions. */
  close(onWanted: () => void): void
  open(): void
  /** Milliseconds since the last write began, or since the gate was created. */
  quietMs(): number
  /** Resolves when a statement may run; undefined when it may run at once. */
  entering(statement: string): Promise<void> | undefined
}

/** All other statements may write, also those that begin with WITH. */
const readOnly = /^\s*(?:select|commit|rollback|savepoint|release)\b/iu

export function createWriteGate(now: () => number = () => performance.now()): WriteGate {
  let onWanted: (() => void) | undefined
  let lastAt = now()
  let waiting: (() => void)[] = []
  return {
    close: call => {
      onWanted = call
    },
    open: () => {
      onWanted = undefined
      for (const go of waiting) go()
      waiting = []
    },
    quietMs: () => now() - lastAt,
    entering: statement => {
      if (readOnly.test(statement)) return undefined
      lastAt = now()
      if (!onWanted) return undefined
      const wanted = onWanted
      return new Promise(resolve => {
        waiting.push(resolve)
        wanted()
      })
    },
  }
}
