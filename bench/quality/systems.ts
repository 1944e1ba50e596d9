import { type AskedQuestion, idsOf } from './ask-set.js'
import { SqliteFts, StockOrama } from './baselines.js'
import { median, type QuestionScores, scoredRows, scoreQuestion } from './metrics.js'
import { type Baseline, PlainBm25 } from './plain-bm25.js'
import type { QualityQuestion, QualitySet } from './quality-set.js'

const baselines: Record<string, () => Baseline> = {
  'BM25, Porter stems': () => new PlainBm25(),
  'SQLite FTS5 porter': () => new SqliteFts(),
  'stock Orama': () => new StockOrama(),
}

/** Answers of one system to the questions of a set, in their order. */
export interface SystemAnswers {
  system: string
  /** Ids, best first, at most 20. */
  lists: readonly (readonly string[])[]
  scores: readonly QuestionScores[]
  /** Scores with rows grouped into units; undefined for a set without units. */
  unitScores: readonly QuestionScores[] | undefined
  /** Median milliseconds of a query; undefined for a part of another system. */
  queryMs: number | undefined
}

/** Measures every system on a set: the product first, then its parts, then others. */
export async function measureSystems(
  set: QualitySet,
  asked: readonly AskedQuestion<QualityQuestion>[],
): Promise<SystemAnswers[]> {
  const parts: { system: string; lists: (readonly string[])[]; queryMs?: number }[] = [
    { system: 'memory-service', lists: asked.map(({ shown }) => shown), queryMs: medianMs(asked) },
    { system: 'the same, no cut-off', lists: asked.map(({ answer }) => idsOf(answer.ranked)) },
    { system: 'keyword channel', lists: asked.map(({ hits }) => idsOf(hits.keyword)) },
  ]
  if (set.rows.some(({ hints }) => hints.length > 0)) {
    parts.push({ system: 'hints channel', lists: asked.map(({ hits }) => idsOf(hits.hints)) })
  }
  for (const [system, make] of Object.entries(baselines)) {
    parts.push({ system, ...(await measureBaseline(make, set)) })
  }
  return parts.map(part => ({ queryMs: undefined, ...part, ...scoresOf(set, part.lists) }))
}

/**
 * Each project gets a store of its own. This favours the baselines, since the product has all projects in one
 * store.
 */
async function measureBaseline(make: () => Baseline, { rows, questions }: QualitySet) {
  const stores = new Map<string | null, Baseline>()
  const storeOf = (wanted: string | null) => {
    const known = stores.get(wanted)
    if (known) return known
    const store = make()
    for (const row of rows) if (wanted === null || row.project === wanted) store.add(row)
    stores.set(wanted, store)
    return store
  }
  const lists: string[][] = []
  const times: { ms: number }[] = []
  for (const { query, project } of questions) {
    const store = storeOf(project)
    const started = performance.now()
    lists.push(await store.recall(query, scoredRows))
    times.push({ ms: performance.now() - started })
  }
  return { lists, queryMs: medianMs(times) }
}

/**
 * Scores lists of ids against the evidence of a set's questions, by row and, if the set has units, by unit.
 */
export function scoresOf(
  { questions, units }: QualitySet,
  lists: readonly (readonly string[])[],
): Pick<SystemAnswers, 'scores' | 'unitScores'> {
  const unitOf = (id: string) => units?.get(id) ?? id
  return {
    scores: questions.map(({ evidence }, i) => scoreQuestion(lists[i]!, evidence)),
    unitScores:
      units && questions.map(({ evidence }, i) => scoreQuestion(lists[i]!.map(unitOf), evidence.map(unitOf))),
  }
}

const medianMs = (times: readonly { ms: number }[]): number =>
  Math.round(1000 * median(times.map(({ ms }) => ms))) / 1000
