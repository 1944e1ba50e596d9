/**
 * Shares the event loop between searches: all of them together compute for at most `sliceMs` per turn of the
 * loop, whoever waits longest goes on first, and timers and sockets get their turn in between.
 */
export class LoopBudget {
  #waiting: (() => void)[] = []
  #turnStart = 0
  #armed = false

  constructor(readonly sliceMs = 8) {}

  /** Call between small steps of work; returns at once while this turn has time left. */
  breathe(): Promise<void> | undefined {
    if (!this.#armed) this.#startTurn()
    if (performance.now() - this.#turnStart < this.sliceMs) return undefined
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #startTurn(): void {
    this.#turnStart = performance.now()
    this.#armed = true
    setImmediate(() => {
      this.#armed = false
      const next = this.#waiting.shift()
      if (!next) return
      this.#startTurn()
      next()
    })
  }
}
