import {
  type CoverageWord,
  coverageWords,
} from '../../../../contract/operations/telemetry/telemetry-events.js'

/** Sums by name, for hours and days alike: what events tell is added up, and told of any number of periods. */
export class Counters {
  readonly #sums = new Map<string, number>()

  add(words: readonly string[], by: number | null | undefined = 1): void {
    if (!by) return
    const name = nameOf(words)
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + by)
  }

  /** Adds to the counter of that very name. */
  addNamed(name: string, by: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + by)
  }

  get(...words: readonly string[]): number {
    return this.#sums.get(nameOf(words)) ?? 0
  }

  /** What stands behind these words: the next word of each counter, in the order of the words. */
  wordsAfter(...words: readonly string[]): string[] {
    const start = `${nameOf(words)}${separator}`
    const next = [...this.#sums.keys()]
      .filter(name => name.startsWith(start))
      .map(name => name.slice(start.length).split(separator, 1)[0] ?? '')
    return [...new Set(next)].sort()
  }

  /** Each word behind these with its sum. */
  record(...words: readonly string[]): Record<string, number> {
    return Object.fromEntries(this.wordsAfter(...words).map(word => [word, this.get(...words, word)]))
  }

  entries(): Iterable<[string, number]> {
    return this.#sums.entries()
  }
}

/** No word of telemetry has it. */
const separator = '|'

function nameOf(words: readonly string[]): string {
  return words.join(separator)
}

/** Steps of a histogram in a tenfold: a percentile is told within six percent. */
const steps = 20

/** Adds a duration to a histogram: the number of its step stands for it. */
export function addDuration(counters: Counters, words: readonly string[], ms: number): void {
  counters.add([...words, 'ms', String(ms < 1 ? 0 : Math.round(Math.log10(ms) * steps) + 1)])
}

/** Milliseconds that so many of a hundred took at most, to two figures; null before the first. */
export function percentile(counters: Counters, words: readonly string[], percent: number): number | null {
  const found = counters
    .wordsAfter(...words, 'ms')
    .map(step => ({ step: Number(step), count: counters.get(...words, 'ms', step) }))
    .sort((a, b) => a.step - b.step)
  const all = found.reduce((sum, { count }) => sum + count, 0)
  let left = Math.ceil((all * percent) / 100)
  for (const { step, count } of found) {
    left -= count
    if (left <= 0) return step === 0 ? 0 : Number((10 ** ((step - 1) / steps)).toPrecision(2))
  }
  return null
}

/** Sums of money as they are told: nothing of what adding fractions leaves. */
export function money(sum: number): number {
  return Number(sum.toFixed(9))
}

interface Covered {
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

type Coverage = Record<CoverageWord, { calls: number; tokens: number; cost: number }>

export function coverageOf(counters: Counters, block: string): Coverage {
  const told = coverageWords.map(word => {
    const sum = (what: string) => counters.get(block, 'coverage', word, what)
    return [word, { calls: sum('calls'), tokens: sum('tokens'), cost: money(sum('cost')) }]
  })
  return Object.fromEntries(told)
}
