import { weakerCost } from '../../../ground/inference/accounting.js'
import type { CostCoverage } from '../../../ground/inference/inference.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { ModelCall, PassBudget, PassTokens } from '../reader.js'

/** Calls of a model that one pass makes at most, and how long it makes any: the lease of its job must not run out. */
const maxCalls = 20
const askingMs = 60_000

/**
 * Tokens that passes of this day (UTC) took, by the one count that every question is written into before it is asked:
 * what a kill or a pause interrupted is in it as the most that it can have cost (inference.md#limits).
 */
export async function spentToday({ store, clock }: Pick<Daemon, 'store' | 'clock'>): Promise<number> {
  const today = await store.tables.inferenceUsage.of(clock().toISOString().slice(0, 10))
  return today.find(({ purpose }) => purpose === 'dreaming')?.counted_tokens ?? 0
}

/** What a pass may spend (knowledge.md#dreaming): each call is written down before the next. */
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
 * Counts what caches of the provider did. A read is a hit; a write without a read is a miss; a provider that tells
 * nothing, or zero of both, may have no cache at all: unknown (telemetry.md 4).
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
      // What is estimated in a part is estimated in all.
      told.tokenCoverage = told.tokenCoverage === 'locally_estimated' ? told.tokenCoverage : counted
      told.cacheRequests++
      if (read) told.cacheHits++
      else if (written) told.cacheMisses++
      else told.cacheUnknown++
      if (written) told.cacheWrites++
    },
  }
}
