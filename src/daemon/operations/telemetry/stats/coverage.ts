import { type CoverageWord, coverageWords } from '../../../../contract/operations/telemetry-events.js'
import { type Counters, money } from './counters.js'

export interface Covered {
  calls: number
  tokens: number
  tokenCoverage: CoverageWord
  cost: number | null
  costCoverage: CoverageWord
}

/** Adds what was counted to where its numbers come from: calls and costs by the one, tokens by the other. */
export function addCoverage(
  counters: Counters,
  block: string,
  { calls, tokens, tokenCoverage, cost, costCoverage }: Covered,
): void {
  counters.add([block, 'coverage', costCoverage, 'calls'], calls)
  counters.add([block, 'coverage', costCoverage, 'cost'], cost)
  counters.add([block, 'coverage', tokenCoverage, 'tokens'], tokens)
}

export type Coverage = Record<CoverageWord, { calls: number; tokens: number; cost: number }>

export function coverageOf(counters: Counters, block: string): Coverage {
  const told = coverageWords.map(word => {
    const sum = (what: string) => counters.get(block, 'coverage', word, what)
    return [word, { calls: sum('calls'), tokens: sum('tokens'), cost: money(sum('cost')) }]
  })
  return Object.fromEntries(told)
}
