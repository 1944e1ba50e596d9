import {
  type CoverageWord,
  coverageWords,
} from '../../../../contract/operations/telemetry/telemetry-events.js'

/** Sums by name. They can be added across any number of hours or days. */
export class Counters {
  readonly #sums = new Map<string, number>()

  add(words: readonly string[], by: number | null | undefined = 1): void {
    if (!by) return
    const name = nameOf(words)
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + by)
  }

  /** Adds to the counter with this exact name. */
  addNamed(name: string, by: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + by)
  }

  get(...words: readonly string[]): number {
    return this.#sums.get(nameOf(words)) ?? 0
  }

  /** The next word of every counter whose name starts with these words, sorted. */
  wordsAfter(...words: readonly string[]): string[] {
    const start = `${nameOf(words)}${separator}`
    const next = [...this.#sums.keys()]
      .filter(name => name.startsWith(start))
      .map(name => name.slice(start.length).split(separator, 1)[0] ?? '')
    return [...new Set(next)].sort()
  }

  /** Each next word with its sum. */
  record(...words: readonly string[]): Record<string, number> {
    return Object.fromEntries(this.wordsAfter(...words).map(word => [word, this.get(...words, word)]))
  }

  entries(): Iterable<[string, number]> {
    return this.#sums.entries()
  }
}

/** Not part of any telemetry word. */
const separator = '|'

function nameOf(words: readonly string[]): string {
  return words.join(separator)
}

/** Histogram steps per factor of ten: percentiles are accurate to six percent. */
const steps = 20

/** Adds a duration to a histogram, whose steps are stored by number. */
export function addDuration(counters: Counters, words: readonly string[], ms: number): void {
  counters.add([...words, 'ms', String(ms < 1 ? 0 : Math.round(Math.log10(ms) * steps) + 1)])
}

/** The percentile of a histogram in milliseconds, to two digits; null without values. */
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

/** Rounds a sum of money, removing floating-point errors. */
export function money(sum: number): number {
  return Number(sum.toFixed(9))
}

interface CoveredCall {
  calls: number
  tokens: number
  tokenCoverage: CoverageWord
  cost: number | null
  costCoverage: CoverageWord
}

/** Adds a call to the coverage counters: its cost under one source, its tokens under another. */
export function addCoverage(
  counters: Counters,
  block: string,
  { calls, tokens, tokenCoverage, cost, costCoverage }: CoveredCall,
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
