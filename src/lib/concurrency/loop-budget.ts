/** One task's share of the event loop. */
export interface Breather {
  /** Call between small steps of work; returns undefined while this turn of the event loop has time left. */
  breathe(): Promise<void> | undefined
}

interface Waiter {
  /** Start order of the waiting work, as a running number. */
  began: number
  hasEnd: boolean
  goOn(): void
}

/**
 * Splits a loop from `first` to before `end` into stretches of `size`, with a pause between stretches. A loop
 * that contains an await stays slow, because V8 does not compile it while it runs; a stretch has none.
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
 * Shares the event loop between searches: together they compute for at most `sliceMs` per turn, and timers
 * and sockets run in between. Older work continues first, so ten concurrent searches do not interleave their
 * steps. New work queues behind waiting work even if the turn has time left; otherwise a caller that repeats
 * its request at once would overtake all others.
 */
export class LoopBudget implements Breather {
  /** Sorted by start, oldest first. */
  #waiting: Waiter[] = []
  #begun = 0
  #turnStart = 0
  #armed = false
  /**
   * True while this turn belongs to open-ended work, whose next steps continue in it although each counts as
   * new.
   */
  #endless = false

  constructor(readonly sliceMs = 8) {}

  /** For work without a foreseeable end: each step counts as new work, so it cannot starve others. */
  breathe(): Promise<void> | undefined {
    return this.#breathe(this.#begun++, false)
  }

  /** Returns a share for work that starts now and ends soon. */
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
