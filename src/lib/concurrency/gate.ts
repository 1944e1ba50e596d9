/** A semaphore by amount: lets through what fits, later callers wait in turn. */
export interface Gate {
  /**
   * @param amount at most the capacity
   * @returns resolves once there is room; call the result to give the room back (a second call does nothing).
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
