import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import {
  ceilingOf,
  planTerms,
  quantisedDepth,
  rescored,
  type TermPlan,
  unknownShare,
} from '../packed/channel-search.js'
import { chooseExpansion, sourceRows } from '../packed/expansion.js'
import type { PackedHits } from '../packed/packed-hits.js'
import type { IndexQuery } from '../search.js'
import { type Analyzer, foreignMark, isHash } from '../words/analysis/analyzer.js'
import { keepBestTerms } from '../words/expand-term.js'
import { idf } from '../words/text-field.js'
import { type BestRow, bestOf, byScore, type FoundRows, keptIn, mergePacked } from './merge-packed.js'
import type { FieldTotals, PlannedQuery, ShardFound, ShardSearch, ShardTotals, TermCounts } from './shard.js'

/** Plans wait for no scan. */
const budget = new LoopBudget()

/**
 * Searches shards by words, hints and vectors as if they were one index: words are counted over all of them,
 * so that scores are those of one index. Rows with equal scores come in the order of their changes.
 */
export async function searchShards(
  shards: readonly ShardSearch[],
  { text, vector, evidence = false, depth }: Omit<IndexQuery<unknown>, 'filter'>,
  analyzer: Analyzer,
): Promise<PackedHits> {
  const timings: Record<string, number> = {}
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    timings[step] = performance.now() - start
    return result
  }
  const words = new SharedCounts(shards)
  const plan = await timed('plan', () => planOver(words, shards, analyzer.asked(text)))
  const { totals } = words
  const query: PlannedQuery = {
    weights: plan.weights,
    words: plan.words,
    meant: plan.meant,
    content: { ...totals.content, holding: words.content },
    hints: { ...totals.hints, holding: words.hints },
    evidence,
    depth,
    vector,
  }
  const parts = await timed('find', () => Promise.all(shards.map(shard => shard.find(query))))
  const keyword = bestOf(
    parts.map(part => part.keyword),
    depth,
  )
  const hints = bestOf(
    parts.map(part => part.hints),
    depth,
  )
  const near = await timed('vector', () => nearest(shards, parts, depth))
  const expansion = await timed('expand', () => expansionOf(words, plan, parts, keyword))
  const found: FoundRows = { keyword, hints, vector: near }
  const packed = await timed('evidence', () =>
    Promise.all(shards.map((shard, at) => shard.pack({ ...keptIn(found, at), expansion }))),
  )
  const { sessionCeiling, ...hits } = mergePacked(packed, found, plan, totals.sessions)
  return {
    ...hits,
    searchable: plan.searchable,
    ceilings: { ...ceilingsOf(words, plan), sessions: sessionCeiling },
    complete: totals.complete,
    vectorCompleteness: vector && totals.vectors > 0 ? 'complete' : 'none',
    searchedWindow: vector ? totals.vectors : 0,
    timings,
  }
}

/** Numbers of rows with each term over all shards. */
class SharedCounts {
  readonly content = new Map<string, number>()
  readonly hints = new Map<string, number>()
  readonly #shards: readonly ShardSearch[]
  totals: ShardTotals = noTotals

  constructor(shards: readonly ShardSearch[]) {
    this.#shards = shards
  }

  /** Begins the search of each shard. */
  async begin(terms: readonly string[]): Promise<void> {
    const begun = await Promise.all(this.#shards.map(shard => shard.begin(terms)))
    this.totals = begun.map(({ totals }) => totals).reduce(sumOf)
    this.#add(
      terms,
      begun.map(({ counts }) => counts),
    )
  }

  /** Counts the terms that were not counted yet. */
  async count(terms: Iterable<string>): Promise<void> {
    const missing = [...new Set(terms)].filter(term => !this.content.has(term))
    if (missing.length === 0) return
    this.#add(missing, await Promise.all(this.#shards.map(shard => shard.count(missing))))
  }

  has(term: string): boolean {
    return (this.content.get(term) ?? 0) > 0 || (this.hints.get(term) ?? 0) > 0
  }

  #add(terms: readonly string[], counts: readonly TermCounts[]): void {
    for (const [at, term] of terms.entries()) {
      this.content.set(
        term,
        counts.reduce((sum, { content }) => sum + content[at]!, 0),
      )
      this.hints.set(
        term,
        counts.reduce((sum, { hints }) => sum + hints[at]!, 0),
      )
    }
  }
}

const nothing: FieldTotals = { filled: 0, totalLength: 0 }
const noTotals: ShardTotals = {
  content: nothing,
  hints: nothing,
  sessions: { size: 0, totalLength: 0 },
  allowed: 0,
  vectors: 0,
  complete: true,
}

function sumOf(a: ShardTotals, b: ShardTotals): ShardTotals {
  const field = (one: FieldTotals, other: FieldTotals): FieldTotals => ({
    filled: one.filled + other.filled,
    totalLength: one.totalLength + other.totalLength,
  })
  return {
    content: field(a.content, b.content),
    hints: field(a.hints, b.hints),
    sessions: {
      size: a.sessions.size + b.sessions.size,
      totalLength: a.sessions.totalLength + b.sessions.totalLength,
    },
    allowed: a.allowed + b.allowed,
    vectors: a.vectors + b.vectors,
    complete: a.complete && b.complete,
  }
}

async function planOver(
  words: SharedCounts,
  shards: readonly ShardSearch[],
  asked: ReadonlyMap<string, () => readonly string[]>,
): Promise<TermPlan> {
  await words.begin([...new Set([foreignMark, ...asked.keys()])])
  const hasForeign = words.has(foreignMark)
  const others = [...asked].filter(([word]) => hasForeign || isHash(word))
  await words.count(others.flatMap(([, terms]) => terms()))
  const near = async (word: string): Promise<[string, number][]> =>
    keepBestTerms((await Promise.all(shards.map(shard => shard.near(word)))).flat())
  const plan = await planTerms({ has: word => words.has(word), near }, asked, budget.begin())
  await words.count(plan.weights.keys())
  return plan
}

/** The nearest rows: the best by quantised vectors, of which the first are scored exactly. */
async function nearest(
  shards: readonly ShardSearch[],
  parts: readonly ShardFound[],
  depth: number,
): Promise<BestRow[]> {
  const best = bestOf(
    parts.map(part => part.vector),
    quantisedDepth(depth),
  )
  const first = best.slice(0, rescored)
  await Promise.all(
    shards.map(async (shard, at) => {
      const own = first.filter(row => row.shard === at)
      if (own.length === 0) return
      const cosines = await shard.cosines(Uint32Array.from(own, ({ row }) => row))
      for (const [i, row] of own.entries()) if (!Number.isNaN(cosines[i])) row.score = cosines[i]!
    }),
  )
  return best.sort(byScore).slice(0, depth)
}

/** The distinctive terms of the best rows of all shards, with their weights. */
async function expansionOf(
  words: SharedCounts,
  plan: TermPlan,
  parts: readonly ShardFound[],
  keyword: readonly BestRow[],
): Promise<[string, number][]> {
  const sources = keyword.slice(0, sourceRows).flatMap(({ shard, at, score }) => {
    const source = parts[shard]!.sources.find(({ place }) => place === at)
    return source ? [{ ...source, score }] : []
  })
  await words.count(sources.flatMap(({ terms }) => terms.map(([term]) => term)))
  return [
    ...chooseExpansion<string>(sources, {
      isOwn: term => plan.weights.has(term),
      holding: term => words.content.get(term) ?? 0,
      filled: words.totals.content.filled,
      textOf: term => term,
    }),
  ]
}

function ceilingsOf(words: SharedCounts, plan: TermPlan): Omit<PackedHits['ceilings'], 'sessions'> {
  const { content, hints, allowed } = words.totals
  const ceiling = ({ filled }: FieldTotals, holding: ReadonlyMap<string, number>): number =>
    filled === 0 ? 0 : ceilingOf(plan, word => idf(filled, Math.max(1, holding.get(word) ?? 0)))
  return {
    keyword: ceiling(content, words.content),
    hints: ceiling(hints, words.hints),
    words: [...plan.words.values()].reduce((sum, count) => sum + count, 0),
    unknown: unknownShare(plan, word => words.has(word)),
    volume: allowed * (content.totalLength / Math.max(1, content.filled)),
  }
}
