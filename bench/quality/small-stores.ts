import { relevant } from '../../src/daemon/memory/recall/ranking/relevance.js'
import { seededRandom } from '../index/synthetic.js'
import { foreignQuestions } from './foreign.js'
import { scoreQuestion } from './metrics.js'
import type { QualityQuestion, QualitySet } from './quality-set.js'
import { RankedIndex, type StoredMemory, type VectorOf } from './recall-system.js'
import { markdownTable, percent } from './table.js'

/** Rows of a store on its first days. */
const sizes = [3, 10, 30]
const storesOfSize = 60
const foreignOfStore = 10

/** What stores of a few rows of one set answer; shares 0..1. */
export interface SmallStores {
  rows: number
  /** Own questions of which a row that answers is among the first ten, and that are answered with nothing all the same. */
  lost: number
  /** Questions of other sets that are answered with nothing. */
  nothing: number
}

/** Draws stores of a few rows from a set, a third of them asked for, and asks each its own questions and others. */
export async function measureSmallStores(
  set: QualitySet,
  all: readonly QualitySet[],
  vectorOf: VectorOf | undefined,
): Promise<SmallStores[]> {
  const foreign = foreignQuestions(set, all)
  const result: SmallStores[] = []
  for (const rows of sizes) {
    const random = seededRandom(rows)
    const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const count = { found: 0, lost: 0, foreign: 0, nothing: 0 }
    for (let n = 0; n < storesOfSize; n++) {
      const { stored, questions } = draw(set, rows, anyOf)
      const index = new RankedIndex(
        set.askedAt === undefined ? Date.now : () => set.askedAt as number,
        vectorOf,
      )
      for (const row of stored) index.add(row)
      const ask = async (query: string) => {
        const answer = index.rank(query, await index.search({ query, project: null }))
        return { ...answer, isNothing: relevant(answer.ranked, answer.confidence).length === 0 }
      }
      for (const { query, evidence } of questions) {
        const { ranked, isNothing } = await ask(query)
        if (
          scoreQuestion(
            ranked.map(({ id }) => id),
            evidence,
          )['R@10'] === 0
        )
          continue
        count.found++
        if (isNothing) count.lost++
      }
      for (let n = 0; n < foreignOfStore; n++) {
        count.foreign++
        if ((await ask(anyOf(foreign).query)).isNothing) count.nothing++
      }
    }
    result.push({ rows, lost: count.lost / count.found, nothing: count.nothing / count.foreign })
  }
  return result
}

function draw(set: QualitySet, size: number, anyOf: <T>(list: readonly T[]) => T) {
  const byId = new Map(set.rows.map(row => [row.id, row]))
  const stored = new Map<string, StoredMemory>()
  const questions = new Set<QualityQuestion>()
  const hold = (row: StoredMemory | undefined) => row && stored.set(row.id, row)
  for (let tries = 0; tries < 200 && questions.size < Math.max(1, size / 3); tries++) {
    const question = anyOf(set.questions)
    const missing = question.evidence.filter(id => !stored.has(id))
    if (stored.size + missing.length > size) continue
    questions.add(question)
    for (const id of missing) hold(byId.get(id))
  }
  for (let tries = 0; tries < 10 * size && stored.size < size; tries++) hold(anyOf(set.rows))
  return { stored: stored.values(), questions }
}

/** One row a set: what its own questions lose, and how many foreign ones are answered with nothing. */
export function smallStoresReport(all: readonly { name: string; small: readonly SmallStores[] }[]): string[] {
  return markdownTable(
    ['set', ...sizes.map(rows => `${rows} rows: lost / foreign answered with nothing`)],
    all.map(({ name, small }) => [
      name,
      ...small.map(({ lost, nothing }) => `${percent(lost)} / ${percent(nothing)}`),
    ]),
  )
}
