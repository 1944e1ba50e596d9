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
  const loaded = new Map<string, Ranked>()
  const own = new Map<string, number>()
  for (const row of ranked) {
    // The best rows are loaded: what follows the last of them need not be looked at.
    if (loaded.size === input.contents.size) break
    if (!input.contents.has(row.id)) continue
    loaded.set(row.id, row)
    own.set(row.id, row.own)
  }
  return runSteps(loaded, steps, { ...input, own })
}
