import { relevant } from '../../src/daemon/memory/recall/ranking/confidence.js'
import { scoredRows } from './metrics.js'
import type { Asked, QualitySet } from './quality-set.js'
import { type FoundHits, type RankedAnswer, RankedIndex, type VectorOf } from './recall-system.js'

/** What the index and the ranking make of one question. */
export interface AskedQuestion<Question extends Asked> {
  question: Question
  hits: FoundHits
  answer: RankedAnswer
  /** Ids that the default cut-off lets through, best first, at most 20. */
  shown: readonly string[]
  /** Milliseconds of search and ranking. */
  ms: number
}

/** @returns an index that holds the rows of a set, asked at the set's own time */
export function indexOf({ rows, askedAt }: QualitySet, vectorOf?: VectorOf): RankedIndex {
  const index = new RankedIndex(askedAt === undefined ? Date.now : () => askedAt, vectorOf)
  for (const row of rows) index.add(row)
  return index
}

/** Asks one question after another. */
export async function askAll<Question extends Asked>(
  index: RankedIndex,
  questions: readonly Question[],
): Promise<AskedQuestion<Question>[]> {
  const asked: AskedQuestion<Question>[] = []
  for (const question of questions) {
    const started = performance.now()
    const hits = await index.search(question)
    const answer = index.rank(question.query, hits)
    const ms = performance.now() - started
    const shown = idsOf(relevant(answer.ranked, answer.confidence))
    asked.push({ question, hits, answer, shown, ms })
  }
  return asked
}

/** @returns the first 20 ids */
export function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.slice(0, scoredRows).map(({ id }) => id)
}
