/** Keeps writes waiting while another process changes the whole file; reads go on. */
export interface WriteGate {
  /** From now on the first write that comes calls `onWanted`, and all of them wait. Call it between transactions. */
  close(onWanted: () => void): void
  open(): void
  /** Milliseconds since a write was begun; since the gate was made, before the first. */
  quietMs(): number
  /** Resolves when a statement may run; undefined when it may at once. */
  entering(statement: string): Promise<void> | undefined
}

/** Everything else may write: a statement that begins with WITH, too. */
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
