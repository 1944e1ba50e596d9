import type { ContentContext, EvidenceStep, Ranked } from './evidence.js'
import { questionEvidence, replyEvidence } from './questions.js'
import { type Ranking, runSteps } from './run-steps.js'
import { timeEvidence } from './time-words.js'

const STEPS: readonly EvidenceStep<ContentContext>[] = [
  { name: 'replies', effect: 'add', run: replyEvidence },
  { name: 'questions', effect: 'multiply', run: questionEvidence },
  { name: 'time_words', effect: 'multiply', run: timeEvidence },
]

/**
 * Refines a ranking by what its rows say, after they were authorised and loaded (spec 1, 1.3.6 and 1.3.9). Rows
 * without an entry in `contents` are left out of the result.
 *
 * @param steps only a test replaces them
 */
export function refineWithContent(
  ranked: readonly Ranked[],
  input: Omit<ContentContext, 'own'>,
  steps = STEPS,
): Ranking {
  const loaded = ranked.filter(({ id }) => input.contents.has(id))
  const own = new Map(loaded.map(row => [row.id, row.own]))
  return runSteps(new Map(loaded.map(row => [row.id, row])), steps, { ...input, own })
}
