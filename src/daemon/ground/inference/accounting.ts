import type { CoverageWord } from '../../../contract/operations/telemetry/telemetry-events.js'
import type { InferenceSettings } from '../../../contract/settings.js'
import { takeTokens } from '../text/tokens.js'
import type { ReportedUsage } from './adapters.js'
import type { CostCoverage, ModelUsage } from './inference.js'

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

/**
 * Estimates the tokens of a text, rather too many than too few; used for limits if a provider reports no
 * count.
 */
export function estimatedTokens(text: string): number {
  return takeTokens(text, 0, text.length, text.length).tokens
}

export const nothingSpent: ModelUsage = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  tokenCoverage: 'unavailable',
  cost: 0,
  costCoverage: 'unavailable',
}

/**
 * Computes the usage of one request. Tokens come from the provider's count or an estimate. The cost comes
 * from the provider, the configured rates, or is zero for local models; otherwise it is unknown
 * (inference.md#costs).
 */
export function usageOfCall(
  reported: ReportedUsage | undefined,
  texts: { input: string; output: string },
  { rates, isLocal }: Pick<InferenceSettings, 'rates'> & { isLocal: boolean },
): ModelUsage {
  const counted = reported ?? {
    inputTokens: estimatedTokens(texts.input),
    outputTokens: estimatedTokens(texts.output),
    cacheReadTokens: null,
    cacheWriteTokens: null,
    cost: undefined,
  }
  const { cost: price, ...tokens } = counted
  const spent = {
    calls: 1,
    ...tokens,
    tokenCoverage: reported ? ('provider_reported' as const) : ('locally_estimated' as const),
  }
  if (price !== undefined) return { ...spent, cost: price, costCoverage: 'provider_reported' }
  if (rates) return { ...spent, cost: costOf(tokens, rates), costCoverage: 'configured_rate' }
  if (isLocal) return { ...spent, cost: 0, costCoverage: 'local_zero_cost' }
  return { ...spent, cost: null, costCoverage: 'unavailable' }
}

/** Adds two usages. An estimate or unknown cost in either makes the sum one, too. */
export function sumOf(one: ModelUsage, other: ModelUsage): ModelUsage {
  if (one.calls === 0) return other
  if (other.calls === 0) return one
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: known(one.cacheReadTokens, other.cacheReadTokens),
    cacheWriteTokens: known(one.cacheWriteTokens, other.cacheWriteTokens),
    tokenCoverage: weaker(one.tokenCoverage, other.tokenCoverage, tokenWords),
    cost: known(one.cost, other.cost),
    costCoverage: weakerCost(one.costCoverage, other.costCoverage),
  }
}

/** A sum with an unknown part is unknown. */
function known(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

/** From most to least reliable. */
const tokenWords = ['provider_reported', 'locally_estimated', 'unavailable'] as const
const costWords = ['provider_reported', 'configured_rate', 'local_zero_cost', 'unavailable'] as const

/** The less reliable of two cost sources. */
export function weakerCost(one: CostCoverage, other: CostCoverage): CostCoverage {
  return weaker(one, other, costWords)
}

function weaker<Word extends string>(one: Word, other: Word, words: readonly Word[]): Word {
  return words.indexOf(one) > words.indexOf(other) ? one : other
}

type Tokens = Pick<ModelUsage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

function costOf(tokens: Tokens, rates: NonNullable<InferenceSettings['rates']>): number {
  const { inputTokens, outputTokens } = tokens
  const cacheReadTokens = tokens.cacheReadTokens ?? 0
  const cacheWriteTokens = tokens.cacheWriteTokens ?? 0
  const { input, output, cacheRead = input, cacheWrite = input } = rates
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const parts = [
    [fresh, input],
    [cacheReadTokens, cacheRead],
    [cacheWriteTokens, cacheWrite],
    [outputTokens, output],
  ] as const
  return parts.reduce((sum, [count, rate]) => sum + (count * rate) / 1_000_000, 0)
}
