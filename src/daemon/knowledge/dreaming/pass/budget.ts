import { weakerCost } from '../../../ground/inference/accounting.js'
import type { CostCoverage } from '../../../ground/inference/inference.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { ModelCall, PassBudget, PassTokens } from '../reader.js'

/** Limits of model calls per pass, in number and time, because the lease of its job must not run out. */
const maxCalls = 20
const askingMs = 60_000

/**
 * Returns the tokens used by passes of this day (UTC). Each question is counted before it is asked, so an
 * interrupted one counts with its maximum (inference.md#limits).
 */
export async function spentToday({ store, clock }: Pick<Daemon, 'store' | 'clock'>): Promise<number> {
  const today = await store.tables.inferenceUsage.of(clock().toISOString().slice(0, 10))
  return today.find(({ purpose }) => purpose === 'dreaming')?.counted_tokens ?? 0
}

/** Returns the budget of a pass (knowledge.md#dreaming); each call is recorded before the next. */
export async function budgetOf(
  deps: Pick<Daemon, 'store' | 'clock' | 'configuration'>,
  passId: string,
): Promise<PassBudget & { told(): PassTokens }> {
  const { maxTokensPerPass, maxTokensPerDay } = deps.configuration().settings.dreaming
  const started = performance.now()
  const spent: { coverage?: CostCoverage } = {}
  const tokens = createPassTokens()
  const left = {
    tokens: Math.min(maxTokensPerPass, Math.max(0, maxTokensPerDay - (await spentToday(deps)))),
    calls: maxCalls,
  }
  return {
    tokensLeft: () => left.tokens,
    callsLeft: () => (performance.now() - started > askingMs ? 0 : left.calls),
    told: tokens.told,
    spend: async call => {
      const { inputTokens, outputTokens, cost, costCoverage } = call
      tokens.add(call)
      left.tokens = Math.max(0, left.tokens - inputTokens - outputTokens)
      left.calls = Math.max(0, left.calls - 1)
      spent.coverage = spent.coverage ? weakerCost(spent.coverage, costCoverage) : costCoverage
      const spending = {
        tokens_input: inputTokens,
        tokens_output: outputTokens,
        cost,
        cost_coverage: spent.coverage,
      }
      await deps.store.transaction(({ dreamPasses }) => dreamPasses.spend(passId, spending))
    },
  }
}

/**
 * Counts cache use: a read is a hit; a write without a read is a miss; anything else is unknown, because the
 * provider may have no cache (telemetry.md 4).
 */
function createPassTokens(): { add(call: ModelCall): void; told(): PassTokens } {
  const told: PassTokens = {
    tokensCacheRead: null,
    tokensCacheWrite: null,
    tokenCoverage: 'unavailable',
    cacheRequests: 0,
    cacheHits: 0,
    cacheMisses: 0,
    cacheUnknown: 0,
    cacheWrites: 0,
  }
  return {
    told: () => ({ ...told }),
    add: ({ cacheReadTokens: read, cacheWriteTokens: written, counted }) => {
      told.tokensCacheRead = read === null ? told.tokensCacheRead : (told.tokensCacheRead ?? 0) + read
      told.tokensCacheWrite =
        written === null ? told.tokensCacheWrite : (told.tokensCacheWrite ?? 0) + written
      // One estimated count makes the total an estimate.
      told.tokenCoverage = told.tokenCoverage === 'locally_estimated' ? told.tokenCoverage : counted
      told.cacheRequests++
      if (read) told.cacheHits++
      else if (written) told.cacheMisses++
      else told.cacheUnknown++
      if (written) told.cacheWrites++
    },
  }
}
