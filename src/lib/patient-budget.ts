import { type Breather, LoopBudget } from './loop-budget.js'
import type { Traffic } from './traffic.js'

/** Of a wait for a quiet moment; one slice follows it in any case. */
const longestWaitMs = 10

/**
 * Shares the event loop with work that nobody waits for: between its steps it stands still while somebody is served. Never
 * for good, since there may always be somebody: then a slice follows each wait.
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
    await this.#traffic.quiet(AbortSignal.timeout(longestWaitMs))
    if (!this.#traffic.isQuiet()) this.#owedUntil = performance.now() + this.sliceMs
    await super.breathe()
  }
}
