/** What one question got: shares and ranks, 0..1. */
export interface QuestionScores {
  'R@5': number
  'R@10': number
  'R@20': number
  MRR: number
  /** A session with evidence is among the first five different sessions of the results. */
  'session@5': number
}

export const metricNames = ['R@5', 'R@10', 'R@20', 'MRR', 'session@5'] as const

/**
 * Scores one ranked answer.
 *
 * @param ranked ids, best first
 * @param sessionOf session of an id
 */
export function scoreQuestion(
  ranked: readonly string[],
  evidence: readonly string[],
  sessionOf: (id: string) => string | undefined,
): QuestionScores {
  const wanted = new Set(evidence)
  const foundIn = (first: number) => ranked.slice(0, first).filter(id => wanted.has(id)).length / wanted.size
  const rank = ranked.findIndex(id => wanted.has(id))
  const sessions = [...new Set(ranked.map(sessionOf))].slice(0, 5)
  const right = new Set(evidence.map(sessionOf))
  return {
    'R@5': foundIn(5),
    'R@10': foundIn(10),
    'R@20': foundIn(20),
    MRR: rank < 0 ? 0 : 1 / (rank + 1),
    'session@5': sessions.some(session => right.has(session)) ? 1 : 0,
  }
}

/** Means in percent with one decimal. */
export function meanScores(scores: readonly QuestionScores[]): QuestionScores {
  const mean = (name: keyof QuestionScores) =>
    Math.round((1000 * scores.reduce((sum, score) => sum + score[name], 0)) / Math.max(1, scores.length)) / 10
  return Object.fromEntries(metricNames.map(name => [name, mean(name)])) as unknown as QuestionScores
}

/** @returns the middle of a list of numbers; 0 of an empty one */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
