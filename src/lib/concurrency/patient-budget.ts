import { type Breather, LoopBudget } from './loop-budget.js'
import type { Traffic } from './traffic.js'

/** Of a wait for a quiet moment; as much time for slices follows it in any case. */
const longestWaitMs = 10

/**
 * Shares the event loop with work that nobody waits for: between its steps it stands still while somebody is served. Never
 * for good, since there may always be somebody: whoever is served for long shares the rest of the time with it.
 */
export class PatientBudget extends LoopBudget {
  readonly #traffic: Traffic
  /** Until when it goes on though somebody is served, as `performance.now()`. */
  #owedUntil = 0

  constructor(sliceMs: number, traffic: Traffic) {
    super(sliceMs)
    this.#traffic = traffic
  }

  override breathe(): Promise<void> | undefined {
    if (this.#traffic.isQuiet() || performance.now() < this.#owedUntil) return super.breathe()
    return this.#giveWay()
  }

  override begin(): Breather {
    return this
  }

  async #giveWay(): Promise<void> {
    const began = performance.now()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), longestWaitMs)
    await this.#traffic.quiet(late.signal)
    clearTimeout(timer)
    const now = performance.now()
    if (!this.#traffic.isQuiet()) this.#owedUntil = now + (now - began)
    await super.breathe()
  }
}
