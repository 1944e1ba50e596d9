import type { AskedQuestion } from './ask-set.js'
import { bestScore, type SetAnswers } from './no-answer.js'
import type { QualityQuestion, ScopedQuery } from './quality-set.js'
import { markdownTable } from './table.js'

/** Best rows whose score is in one tenth of 0..1: their number, and how many of them are answers. */
export interface Bin {
  count: number
  right: number
}

/** @returns whether the best row is among the evidence */
export function isBestRight({ question, answer }: AskedQuestion<QualityQuestion>): boolean {
  return question.evidence.includes(answer.ranked[0]?.id ?? '')
}

/**
 * Ten bins of the best rows of own and foreign questions, from the lowest scores. Empty results are skipped.
 */
export function calibrationOf({ own, foreign }: Pick<SetAnswers, 'own' | 'foreign'>): Bin[] {
  const bins = Array.from({ length: 10 }, (): Bin => ({ count: 0, right: 0 }))
  const note = (asked: AskedQuestion<ScopedQuery>, right: boolean) => {
    if (asked.answer.ranked.length === 0) return
    const bin = bins[Math.min(9, Math.floor(10 * bestScore(asked)))]!
    bin.count++
    if (right) bin.right++
  }
  for (const asked of own) note(asked, isBestRight(asked))
  for (const asked of foreign) note(asked, false)
  return bins
}

/** Formats a table of bins by set: percent of right rows, and the number of rows. */
export function calibrationReport(sets: readonly { name: string; calibration: readonly Bin[] }[]): string[] {
  const all = Array.from({ length: 10 }, (_, i) => ({
    count: sets.reduce((sum, { calibration }) => sum + calibration[i]!.count, 0),
    right: sets.reduce((sum, { calibration }) => sum + calibration[i]!.right, 0),
  }))
  const columns = [...sets, { name: 'all', calibration: all }]
  const cell = ({ count, right }: Bin) =>
    count === 0 ? '' : `${Math.round((100 * right) / count)} of ${count}`
  return markdownTable(
    ['score of the best row', ...columns.map(({ name }) => name)],
    all.map((_, i) => [
      `${(i / 10).toFixed(1)} to ${((i + 1) / 10).toFixed(1)}`,
      ...columns.map(({ calibration }) => cell(calibration[i]!)),
    ]),
  )
}
