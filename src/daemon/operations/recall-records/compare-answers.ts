import type { Replayed, ReplaySummary } from '../../../contract/operations/recall-replay.js'

/** A row of an answer, wherever its text is from. */
export interface AnswerRow {
  id: string
  rank: number
  content: string | null
}

type Comparison = Pick<Replayed, 'found' | 'lost' | 'moved'>

/**
 * What two answers to one question have apart.
 * @param changed ids of what was saved, forgotten or left its source between them: no setting did that
 */
export function compareAnswers(
  before: readonly AnswerRow[],
  after: readonly AnswerRow[],
  changed: ReadonlySet<string>,
): Comparison {
  const then = new Map(before.map(row => [row.id, row]))
  const now = new Map(after.map(row => [row.id, row]))
  const apart = (row: AnswerRow) => ({
    id: row.id,
    rank: row.rank,
    content: row.content,
    why: changed.has(row.id) ? ('changed' as const) : ('ranked' as const),
  })
  return {
    found: after.filter(({ id }) => !then.has(id)).map(apart),
    lost: before.filter(({ id }) => !now.has(id)).map(apart),
    moved: after.flatMap(({ id, rank: to, content }) => {
      const from = then.get(id)?.rank
      return from === undefined || from === to ? [] : [{ id, from, to, content: content ?? '' }]
    }),
  }
}

/** Counts of replayed questions. */
export function sumOf(results: readonly Replayed[]): ReplaySummary {
  const compared = results.filter(({ status }) => status !== 'skipped')
  const count = (list: (one: Replayed) => readonly unknown[]): number =>
    results.reduce((sum, one) => sum + list(one).length, 0)
  const changed = compared.filter(({ status }) => status === 'changed').length
  return {
    queries: results.length,
    same: compared.length - changed,
    changed,
    skipped: results.length - compared.length,
    found: count(({ found }) => found),
    lost: count(({ lost }) => lost),
    moved: count(({ moved }) => moved),
    no_hits: {
      before: compared.filter(({ before }) => before === 0).length,
      after: compared.filter(({ after }) => after === 0).length,
    },
  }
}
