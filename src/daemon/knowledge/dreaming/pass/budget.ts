import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { PassBudget } from '../reader.js'

/** Calls of a model that one pass makes at most. */
const maxCalls = 20

/** Tokens that passes of this day took; the day begins at midnight UTC. */
export function spentToday({ store, clock }: Pick<Daemon, 'store' | 'clock'>): Promise<number> {
  return store.tables.dreamPasses.spentSince(`${clock().toISOString().slice(0, 10)}T00:00:00.000Z`)
}

/** What a pass may spend (knowledge.md#dreaming): each call is written down before the next. */
export async function budgetOf(
  deps: Pick<Daemon, 'store' | 'clock' | 'configuration'>,
  passId: string,
): Promise<PassBudget> {
  const { maxTokensPerPass, maxTokensPerDay } = deps.configuration().settings.dreaming
  const left = {
    tokens: Math.min(maxTokensPerPass, Math.max(0, maxTokensPerDay - (await spentToday(deps)))),
    calls: maxCalls,
  }
  return {
    tokensLeft: () => left.tokens,
    callsLeft: () => left.calls,
    spend: async ({ inputTokens, outputTokens, cost }) => {
      left.tokens = Math.max(0, left.tokens - inputTokens - outputTokens)
      left.calls = Math.max(0, left.calls - 1)
      const spending = { tokens_input: inputTokens, tokens_output: outputTokens, cost }
      await deps.store.transaction(({ dreamPasses }) => dreamPasses.spend(passId, spending))
    },
  }
}
