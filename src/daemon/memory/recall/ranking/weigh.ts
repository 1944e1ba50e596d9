import { byScore, type Ranked, toScore, totalEvidence } from './evidence.js'
import { attempt, finite, type Ranking } from './run-steps.js'

/** One optional weighing of rows that are authorised and loaded. */
export interface Weighing {
  name: string
  /** @returns factors by memory id; missing ids are left as they are. */
  run: (ranked: readonly Ranked[]) => ReadonlyMap<string, number>
}

/**
 * Weighs a finished ranking by what is known of its rows: how a session rated them, whether they still hold. A
 * weighing that fails is reported and skipped (spec 1, 1.3.9). Each one sees the evidence as the one before left it.
 */
export function weigh({ ranked, timings, failures }: Ranking, weighings: readonly Weighing[]): Ranking {
  const report = { timings: { ...timings }, failures: [...failures] }
  return weighings.reduce<Ranking>(
    (ranking, { name, run }) => {
      const factors = attempt(report, name, () => finite(run(ranking.ranked)))
      if (!factors || factors.size === 0) return ranking
      const weighed = ranking.ranked.map(row => multiplied(row, name, factors.get(row.id)))
      return { ...report, ranked: weighed.sort(byScore) }
    },
    { ...report, ranked: [...ranked] },
  )
}

function multiplied(row: Ranked, step: string, value: number | undefined): Ranked {
  if (value === undefined) return row
  const contributions = [...row.contributions, { step, effect: 'multiply', value } as const]
  const evidence = totalEvidence(contributions)
  return { ...row, evidence, score: toScore(evidence), contributions }
}
