import type { EventProperties } from '../../../../contract/operations/telemetry/telemetry-events.js'
import type {
  CacheAccounting,
  TelemetryStats,
} from '../../../../contract/operations/telemetry/telemetry-stats.js'
import { addCoverage, type Counters, coverageOf, money } from './counters.js'

type Pass = EventProperties<'dreaming.pass'>

/** Numbers of a pass that are simply added up. */
const sums = [
  'tokensInput',
  'tokensOutput',
  'tokensCacheRead',
  'tokensCacheWrite',
  'artifactsConsidered',
  'memoriesCreated',
  'memoriesUpdated',
  'memoriesSuperseded',
  'memoriesRetired',
  'claimsChanged',
  'relationshipsChanged',
  'provenanceLinksChanged',
  'toolCalls',
  'durationMs',
] as const

const cacheSums = ['cacheRequests', 'cacheHits', 'cacheMisses', 'cacheUnknown', 'cacheWrites'] as const

/** Counts a Dreaming pass. */
export function countPass(counters: Counters, pass: Pass): void {
  counters.add(['dreaming', 'passes'])
  counters.add(['dreaming', 'cost'], pass.cost)
  for (const name of sums) counters.add(['dreaming', 'sum', name], pass[name])
  counters.add(['dreaming', 'outcome', pass.outcome])
  if (pass.outcomeCode !== null) counters.add(['dreaming', 'code', pass.outcomeCode])
  counters.add(['dreaming', 'mode', pass.mode, 'passes'])
  counters.add(['dreaming', 'mode', pass.mode, 'cost'], pass.cost)
  const tokens = pass.tokensInput + pass.tokensOutput
  counters.add(['dreaming', 'mode', pass.mode, 'tokens'], tokens)
  addCoverage(counters, 'dreaming', {
    calls: 1,
    tokens,
    tokenCoverage: pass.tokenCoverage,
    cost: pass.cost,
    costCoverage: pass.coverage,
  })
  countCaches(counters, pass)
}

/** A pass without model requests has no cache figures. */
function countCaches(counters: Counters, pass: Pass): void {
  if (pass.cacheRequests === 0) return
  const isKnown = pass.cacheHits + pass.cacheMisses > 0
  const groups = [
    ['all', ''],
    ['provider', pass.provider],
    ['model', pass.model ?? 'other'],
    ['workload', pass.workloadClass],
  ] as const
  for (const [kind, name] of groups) {
    const group = ['dreaming', 'cache', kind, name]
    for (const sum of cacheSums) counters.add([...group, sum], pass[sum])
    counters.add([...group, isKnown ? 'available' : 'unavailable'])
  }
}

export function dreamingStats(counters: Counters): TelemetryStats['dreaming'] {
  const sum = (name: string): number => counters.get('dreaming', 'sum', name)
  return {
    calls: counters.get('dreaming', 'passes'),
    tokensInput: sum('tokensInput'),
    tokensOutput: sum('tokensOutput'),
    tokensCacheRead: sum('tokensCacheRead'),
    tokensCacheWrite: sum('tokensCacheWrite'),
    cacheAccounting: {
      ...caches(counters, 'all', ''),
      byProvider: cacheGroups(counters, 'provider').map(([provider, of]) => ({ provider, ...of })),
      byModel: cacheGroups(counters, 'model').map(([model, of]) => ({ model, ...of })),
      byWorkloadClass: cacheGroups(counters, 'workload').map(([workloadClass, of]) => ({
        workloadClass,
        ...of,
      })),
    },
    cost: money(counters.get('dreaming', 'cost')),
    artifactsConsidered: sum('artifactsConsidered'),
    memoriesCreated: sum('memoriesCreated'),
    memoriesUpdated: sum('memoriesUpdated'),
    memoriesSuperseded: sum('memoriesSuperseded'),
    memoriesRetired: sum('memoriesRetired'),
    claimsChanged: sum('claimsChanged'),
    relationshipsChanged: sum('relationshipsChanged'),
    provenanceLinksChanged: sum('provenanceLinksChanged'),
    toolCalls: sum('toolCalls'),
    durationMs: sum('durationMs'),
    outcomes: callsBy(counters, 'outcome').map(([outcome, calls]) => ({ outcome, calls })),
    outcomeCodes: callsBy(counters, 'code').map(([code, calls]) => ({ code, calls })),
    byMode: counters.wordsAfter('dreaming', 'mode').map(mode => ({
      mode,
      calls: counters.get('dreaming', 'mode', mode, 'passes'),
      tokens: counters.get('dreaming', 'mode', mode, 'tokens'),
      cost: money(counters.get('dreaming', 'mode', mode, 'cost')),
    })),
    coverage: coverageOf(counters, 'dreaming'),
  }
}

function callsBy(counters: Counters, what: string): [string, number][] {
  return Object.entries(counters.record('dreaming', what))
}

function cacheGroups(counters: Counters, kind: string): [string, CacheAccounting][] {
  return counters.wordsAfter('dreaming', 'cache', kind).map(name => [name, caches(counters, kind, name)])
}

/** Requests with unknown cache result are not part of the rate. */
function caches(counters: Counters, kind: string, name: string): CacheAccounting {
  const count = (what: string): number => counters.get('dreaming', 'cache', kind, name, what)
  const known = count('cacheHits') + count('cacheMisses')
  return {
    cacheRequests: count('cacheRequests'),
    cacheHits: count('cacheHits'),
    cacheMisses: count('cacheMisses'),
    cacheUnknown: count('cacheUnknown'),
    cacheWrites: count('cacheWrites'),
    cacheAccountingAvailablePasses: count('available'),
    cacheAccountingUnavailablePasses: count('unavailable'),
    hitRate: known === 0 ? null : Number((count('cacheHits') / known).toFixed(4)),
  }
}
