import { keepRelevant } from '../../src/daemon/memory/recall/ranking/confidence.js'
import { scoredRows } from './metrics.js'
import type { QualitySet, ScopedQuery } from './quality-set.js'
import { type ChannelHits, type RankedAnswer, RankedIndex, type RowVectors } from './recall-system.js'

/** The search hits and the ranking of one question. */
export interface AskedQuestion<Question extends ScopedQuery> {
  question: Question
  hits: ChannelHits
  answer: RankedAnswer
  /** Ids that pass the default cut-off, best first, at most 20. */
  shown: readonly string[]
  /** Milliseconds of search and ranking. */
  ms: number
}

/** @returns an index of a set's rows whose clock is the set's `askedAt` */
export function indexOf({ rows, askedAt }: QualitySet, vectors?: RowVectors): RankedIndex {
  const index = new RankedIndex(askedAt === undefined ? Date.now : () => askedAt, vectors)
  for (const row of rows) index.add(row)
  return index
}

/** Runs the questions one after another. */
export async function askAll<Question extends ScopedQuery>(
  index: RankedIndex,
  questions: readonly Question[],
): Promise<AskedQuestion<Question>[]> {
  const asked: AskedQuestion<Question>[] = []
  for (const question of questions) {
    const started = performance.now()
    const hits = await index.search(question)
    const answer = index.rank(question.query, hits)
    const ms = performance.now() - started
    const shown = idsOf(keepRelevant(answer.ranked, answer.confidence))
    asked.push({ question, hits, answer, shown, ms })
  }
  return asked
}

/** @returns the first 20 ids */
export function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.slice(0, scoredRows).map(({ id }) => id)
}
