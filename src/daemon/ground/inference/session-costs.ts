import type { CoverageWord } from '../../../contract/operations/telemetry/telemetry-events.js'
import { nothingSpent, sumOf } from './accounting.js'
import type { Spent } from './inference.js'

/** Sessions whose costs are kept; of those beyond, the ones that were asked for longest ago are forgotten. */
const maxSessions = 1000

export interface SessionCost extends Spent {
  /** One word for all of it; `mixed` where requests differ. */
  coverage: CoverageWord
}

/** What a model was asked for sessions since the daemon started: their events tell it once they end. */
export class SessionCosts {
  readonly #sessions = new Map<string, { spent: Spent; coverages: Set<CoverageWord> }>()

  add(session: { agentId: string; sessionKey: string }, spent: Spent): void {
    const key = keyOf(session)
    const known = this.#sessions.get(key) ?? { spent: nothingSpent, coverages: new Set() }
    known.coverages.add(spent.costCoverage)
    this.#sessions.delete(key)
    this.#sessions.set(key, { ...known, spent: sumOf(known.spent, spent) })
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** What a session cost so far; nothing of this machine's where no model was asked. */
  of(session: { agentId: string; sessionKey: string } | undefined): SessionCost {
    const known = session && this.#sessions.get(keyOf(session))
    if (!known) return { ...nothingSpent, coverage: 'local_zero_cost' }
    const [first = 'unavailable'] = known.coverages
    return { ...known.spent, coverage: known.coverages.size > 1 ? 'mixed' : first }
  }

  forget(session: { agentId: string; sessionKey: string }): void {
    this.#sessions.delete(keyOf(session))
  }
}

function keyOf({ agentId, sessionKey }: { agentId: string; sessionKey: string }): string {
  return `${agentId}\0${sessionKey}`
}
