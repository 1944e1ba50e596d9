/** A weighted semaphore: admits amounts up to its capacity; callers beyond it wait in order. */
export interface Gate {
  /**
   * Waits for room and resolves with a function that releases it; releasing twice has no effect.
   * @param amount at most the capacity
   */
  enter(amount: number): Promise<() => void>
}

export function createGate(capacity: number): Gate {
  let inside = 0
  const waiting: { amount: number; go: () => void }[] = []
  const admitWaiting = (): void => {
    for (let first = waiting[0]; first && inside + first.amount <= capacity; first = waiting[0]) {
      waiting.shift()
      inside += first.amount
      first.go()
    }
  }
  return {
    enter: amount =>
      new Promise(resolve => {
        let hasLeft = false
        const leave = (): void => {
          if (hasLeft) return
          hasLeft = true
          inside -= amount
          admitWaiting()
        }
        waiting.push({ amount, go: () => resolve(leave) })
        admitWaiting()
      }),
  }
}
