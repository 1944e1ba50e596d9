/** Scores of one question, 0..1. */
export interface QuestionScores {
  'R@5': number
  'R@10': number
  'R@20': number
  MRR: number
  'nDCG@10': number
}

export const metricNames = ['R@5', 'R@10', 'R@20', 'MRR', 'nDCG@10'] as const
export type MetricName = (typeof metricNames)[number]

/** Maximum number of rows that are scored. */
export const scoredRows = 20

const gain = (place: number) => 1 / Math.log2(place + 2)

/**
 * Scores one ranked answer. A repeated id (a unit of several rows) counts at its first rank; its later ranks
 * stay occupied.
 * @param ranked ids, best first; at most 20 are scored
 */
export function scoreQuestion(ranked: readonly string[], evidence: readonly string[]): QuestionScores {
  const wanted = new Set(evidence)
  const places = [...wanted].map(id => ranked.indexOf(id)).filter(place => place >= 0 && place < scoredRows)
  const foundIn = (first: number) => places.filter(place => place < first).length / wanted.size
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const ideal = sum(Array.from({ length: Math.min(wanted.size, 10) }, (_, place) => gain(place)))
  return {
    'R@5': foundIn(5),
    'R@10': foundIn(10),
    'R@20': foundIn(20),
    MRR: places.length === 0 ? 0 : 1 / (Math.min(...places) + 1),
    'nDCG@10': sum(places.filter(place => place < 10).map(gain)) / ideal,
  }
}

/** Means in percent with one decimal. */
export function meanScores(scores: readonly QuestionScores[]): QuestionScores {
  const mean = (name: MetricName) =>
    Math.round((1000 * scores.reduce((sum, score) => sum + score[name], 0)) / Math.max(1, scores.length)) / 10
  return Object.fromEntries(metricNames.map(name => [name, mean(name)])) as unknown as QuestionScores
}

/** @returns the median of a list of numbers; 0 for an empty list */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
