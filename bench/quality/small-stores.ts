import { seededRandom } from '../index/synthetic.js'
import { type AskedQuestion, askAll, idsOf, indexOf } from './ask-set.js'
import { foreignQuestions } from './foreign.js'
import { scoreQuestion } from './metrics.js'
import { nothingShare } from './no-answer.js'
import type { Asked, QualityQuestion, QualitySet, StoredMemory } from './quality-set.js'
import type { VectorOf } from './recall-system.js'
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
    const own: AskedQuestion<QualityQuestion>[] = []
    const others: AskedQuestion<Asked>[] = []
    for (let n = 0; n < storesOfSize; n++) {
      const { stored, questions } = draw(set, rows, anyOf)
      const index = indexOf({ ...set, rows: stored }, vectorOf)
      own.push(...(await askAll(index, questions)))
      const strange = Array.from({ length: foreignOfStore }, () => anyOf(foreign))
      others.push(...(await askAll(index, strange.map(anywhere))))
    }
    const found = own.filter(isFound)
    result.push({ rows, lost: nothingShare(found), nothing: nothingShare(others) })
  }
  return result
}

/** Rows of a small store are of any project. */
const anywhere = <Question extends Asked>(question: Question): Question => ({ ...question, project: null })

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
  return { stored: [...stored.values()], questions: [...questions].map(anywhere) }
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
