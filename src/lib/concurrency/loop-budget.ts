/** Lets one piece of work share the event loop with others. */
export interface Breather {
  /** Call between small steps of work; returns at once while this turn of the event loop has time left. */
  breathe(): Promise<void> | undefined
}

interface Waiter {
  /** When the waiting work began, as a count of all work that was begun. */
  began: number
  hasEnd: boolean
  goOn(): void
}

/**
 * Does a long loop in stretches of `size` numbers, from `first` to before `end`, and breathes before each but the first. A loop
 * that waits by itself stays slow: V8 does not compile it while it runs, as it does that of a function which never waits.
 */
export async function inStretches(
  budget: Breather,
  { first, end, size }: { first: number; end: number; size: number },
  stretch: (from: number, to: number) => void,
): Promise<void> {
  for (let from = first; from < end; from += size) {
    if (from > first) await budget.breathe()
    stretch(from, Math.min(end, from + size))
  }
}

/**
 * Shares the event loop between searches: all of them together compute for at most `sliceMs` per turn of the loop,
 * and timers and sockets get their turn in between. What began first goes on first: when ten searches come at once,
 * none of them stands behind the second halves of the others, and one that comes while others wait stands behind them,
 * even if this turn has time left: otherwise the caller that asks again at once would be served before all others.
 */
export class LoopBudget implements Breather {
  /** What began first stands first. */
  #waiting: Waiter[] = []
  #begun = 0
  #turnStart = 0
  #armed = false
  /**
   * True while this turn belongs to work without an end: its next steps go on in it, though each counts as begun anew.
   */
  #endless = false

  constructor(readonly sliceMs = 8) {}

  /** For work without a foreseeable end: each of its steps counts as work that begins now, so that nobody starves. */
  breathe(): Promise<void> | undefined {
    return this.#breathe(this.#begun++, false)
  }

  /** A share for work that starts now and ends soon. */
  begin(): Breather {
    const began = this.#begun++
    return { breathe: () => this.#breathe(began, true) }
  }

  #breathe(began: number, hasEnd: boolean): Promise<void> | undefined {
    if (!this.#armed) this.#startTurn()
    const isDue = !this.#waiting[0] || began < this.#waiting[0].began || (this.#endless && !hasEnd)
    if (isDue && performance.now() - this.#turnStart < this.sliceMs) return undefined
    return new Promise(goOn => {
      const place = this.#waiting.findLastIndex(other => other.began <= began) + 1
      this.#waiting.splice(place, 0, { began, hasEnd, goOn })
    })
  }

  #startTurn(): void {
    this.#turnStart = performance.now()
    this.#armed = true
    this.#endless = false
    setImmediate(() => {
      this.#armed = false
      const next = this.#waiting.shift()
      if (!next) return
      this.#startTurn()
      this.#endless = !next.hasEnd
      next.goOn()
    })
  }
}
