import type { CoverageWord } from '../../../contract/operations/telemetry/telemetry-events.js'
import { nothingSpent, sumOf } from './accounting.js'
import type { ModelUsage } from './inference.js'

/** Maximum number of sessions; the least recently used are dropped. */
const maxSessions = 1000

export interface SessionCost extends ModelUsage {
  /** Coverage of all requests; `mixed` if they differ. */
  coverage: CoverageWord
}

/** Model usage per session since the daemon started, reported in the session's final events. */
export class SessionCosts {
  readonly #sessions = new Map<string, { spent: ModelUsage; coverages: Set<CoverageWord> }>()

  add(session: { agentId: string; sessionKey: string }, spent: ModelUsage): void {
    const key = keyOf(session)
    const known = this.#sessions.get(key) ?? { spent: nothingSpent, coverages: new Set() }
    known.coverages.add(spent.costCoverage)
    this.#sessions.delete(key)
    this.#sessions.set(key, { ...known, spent: sumOf(known.spent, spent) })
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** Cost of a session so far; zero local cost if no model was asked. */
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
