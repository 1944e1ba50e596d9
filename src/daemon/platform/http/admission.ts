/** Lets a bounded number of requests in at a time; the others are told at once, nobody queues. */
export interface Admission {
  /** @returns how to leave (once; more does nothing), undefined when it is full. */
  enter(): (() => void) | undefined
}

export function createAdmission(max: number): Admission {
  const inside = new Set<symbol>()
  return {
    enter: () => {
      if (inside.size >= max) return undefined
      const ticket = Symbol()
      inside.add(ticket)
      return () => void inside.delete(ticket)
    },
  }
}
