import type { EventProperties } from '../../../../contract/operations/telemetry/telemetry-events.js'
import type { TelemetryStats } from '../../../../contract/operations/telemetry/telemetry-stats.js'
import { addCoverage, addDuration, type Counters, coverageOf, money, percentile } from './counters.js'

/** Counts a language model request. */
export function countGenerate(counters: Counters, told: EventProperties<'llm.generate'>): void {
  const { outcome, inputTokens, outputTokens, cost, durationMs, tokenCoverage, costCoverage } = told
  counters.add(['llm', 'calls'])
  if (outcome === 'error') counters.add(['llm', 'errors'])
  counters.add(['llm', 'input'], inputTokens)
  counters.add(['llm', 'output'], outputTokens)
  counters.add(['llm', 'cost'], cost)
  addDuration(counters, ['llm'], durationMs)
  const tokens = (inputTokens ?? 0) + (outputTokens ?? 0)
  addCoverage(counters, 'llm', { calls: 1, tokens, tokenCoverage, cost, costCoverage })
}

export function llmStats(counters: Counters): TelemetryStats['llm'] {
  return {
    calls: counters.get('llm', 'calls'),
    errors: counters.get('llm', 'errors'),
    totalInputTokens: counters.get('llm', 'input'),
    totalOutputTokens: counters.get('llm', 'output'),
    totalCost: money(counters.get('llm', 'cost')),
    p50: percentile(counters, ['llm'], 50),
    p95: percentile(counters, ['llm'], 95),
    coverage: coverageOf(counters, 'llm'),
  }
}

/** Counts calls of the embedding provider. */
export function countEmbeddings(counters: Counters, told: EventProperties<'embedding.generate'>): void {
  const { source, calls, tokens, cost } = told
  counters.add(['embedding', 'calls'], calls)
  counters.add(['embedding', 'source', source, 'tokens'], tokens)
  counters.add(['embedding', 'source', source, 'cost'], cost)
  addCoverage(counters, 'embedding', told)
}

export function embeddingStats(counters: Counters): TelemetryStats['embedding'] {
  const bySource = counters.wordsAfter('embedding', 'source').map(source => ({
    source,
    tokens: counters.get('embedding', 'source', source, 'tokens'),
    cost: money(counters.get('embedding', 'source', source, 'cost')),
  }))
  return {
    calls: counters.get('embedding', 'calls'),
    totalTokens: bySource.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: money(bySource.reduce((sum, { cost }) => sum + cost, 0)),
    bySource,
    coverage: coverageOf(counters, 'embedding'),
  }
}

export function countExecute(counters: Counters, told: EventProperties<'inference.execute'>): void {
  counters.add(['inference', 'executes'])
  if (told.outcome === 'error') counters.add(['inference', 'errors'])
  if (told.outcome === 'cancelled') counters.add(['inference', 'cancelled'])
  addDuration(counters, ['inference'], told.durationMs)
}

/** Questions to the language model, each of one or more requests. */
export function inferenceStats(counters: Counters): TelemetryStats['inference'] {
  const count = (what: string) => counters.get('inference', what)
  return {
    routes: count('routes'),
    executes: count('executes'),
    // The daemon never streams answers.
    streams: 0,
    errors: count('errors'),
    cancelled: count('cancelled'),
    fallbacks: count('fallbacks'),
    p50: percentile(counters, ['inference'], 50),
    p95: percentile(counters, ['inference'], 95),
  }
}

/**
 * Counts ended sessions with the model use on their behalf: a view of the same requests, not to be added to
 * them.
 */
export function countSession(counters: Counters, told: EventProperties<'session.end'>): void {
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite, cost, coverage } = told
  counters.add(['sessions', 'ended'])
  counters.add(['sessions', 'tokensInput'], tokensInput)
  counters.add(['sessions', 'tokensOutput'], tokensOutput)
  counters.add(['sessions', 'tokensCacheRead'], tokensCacheRead)
  counters.add(['sessions', 'tokensCacheWrite'], tokensCacheWrite)
  counters.add(['sessions', 'cost'], cost)
  const tokens = tokensInput + tokensOutput
  addCoverage(counters, 'sessions', {
    calls: 1,
    tokens,
    tokenCoverage: coverage,
    cost,
    costCoverage: coverage,
  })
}

export function sessionStats(counters: Counters): TelemetryStats['sessions'] {
  const count = (what: string) => counters.get('sessions', what)
  return {
    ended: count('ended'),
    tokensInput: count('tokensInput'),
    tokensOutput: count('tokensOutput'),
    tokensCacheRead: count('tokensCacheRead'),
    tokensCacheWrite: count('tokensCacheWrite'),
    cost: money(count('cost')),
    coverage: coverageOf(counters, 'sessions'),
  }
}
