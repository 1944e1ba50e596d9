import { seededRandom } from '../index/synthetic.js'
import { type AskedQuestion, askAll, idsOf, indexOf } from './ask-set.js'
import { foreignQuestions } from './foreign.js'
import { scoreQuestion } from './metrics.js'
import { nothingShare } from './no-answer.js'
import type { QualityQuestion, QualitySet, ScopedQuery, StoredMemory } from './quality-set.js'
import type { RowVectors } from './recall-system.js'
import { markdownTable, percent } from './table.js'

/** Row counts of a store in its first days. */
const sizes = [3, 10, 30]
const storesOfSize = 60
const foreignOfStore = 10

/** Results for small stores drawn from one set, as shares 0..1. */
export interface SmallStores {
  rows: number
  /** Own questions that are answered with nothing although an answer is in the top ten before the cut-off. */
  lost: number
  /** Questions of other sets that are answered with nothing. */
  nothing: number
}

/**
 * Draws small stores from a set so that questions ask for a third of the rows, then runs own and foreign
 * questions on each.
 */
export async function measureSmallStores(
  set: QualitySet,
  all: readonly QualitySet[],
  vectors: RowVectors | undefined,
): Promise<SmallStores[]> {
  const foreign = foreignQuestions(set, all)
  const result: SmallStores[] = []
  for (const rows of sizes) {
    const random = seededRandom(rows)
    const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const own: AskedQuestion<QualityQuestion>[] = []
    const others: AskedQuestion<ScopedQuery>[] = []
    for (let n = 0; n < storesOfSize; n++) {
      const { stored, questions } = draw(set, rows, anyOf)
      const index = indexOf({ ...set, rows: stored }, vectors)
      own.push(...(await askAll(index, questions)))
      const strange = Array.from({ length: foreignOfStore }, () => anyOf(foreign))
      others.push(...(await askAll(index, strange.map(inAllProjects))))
    }
    const found = own.filter(isFound)
    result.push({ rows, lost: nothingShare(found), nothing: nothingShare(others) })
  }
  return result
}

/** A small store mixes rows of several projects, so its questions search all of them. */
const inAllProjects = <Question extends ScopedQuery>(question: Question): Question => ({
  ...question,
  project: null,
})

function isFound({ question, answer }: AskedQuestion<QualityQuestion>): boolean {
  return scoreQuestion(idsOf(answer.ranked), question.evidence)['R@10'] > 0
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
  return { stored: [...stored.values()], questions: [...questions].map(inAllProjects) }
}

/**
 * Formats one row for each set: the loss of own questions, and the share of foreign questions answered with
 * nothing.
 */
export function smallStoresReport(all: readonly { name: string; small: readonly SmallStores[] }[]): string[] {
  return markdownTable(
    ['set', ...sizes.map(rows => `${rows} rows: lost / foreign answered with nothing`)],
    all.map(({ name, small }) => [
      name,
      ...small.map(({ lost, nothing }) => `${percent(lost)} / ${percent(nothing)}`),
    ]),
  )
}
