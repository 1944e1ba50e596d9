import { seededRandom } from '../index/synthetic.js'
import { projectsOf, type QualitySet, type ScopedQuery } from './quality-set.js'

/** Maximum number of foreign questions for a set. */
const most = 200

/**
 * Questions that nothing in this set answers: its own foreign questions, then questions of other families.
 * The sample is the same in every run, with about as many from each other set, spread over this set's
 * projects.
 */
export function foreignQuestions(set: QualitySet, all: readonly QualitySet[]): ScopedQuery[] {
  const others = all.filter(({ family }) => family !== set.family)
  const share = Math.ceil(most / Math.max(1, others.length))
  const drawn = others.flatMap(({ questions }) => shuffled(questions, 7).slice(0, share))
  const projects = projectsOf(set)
  const strange = shuffled(drawn, 3).map(({ query }, i) => ({
    query,
    project: projects[i % projects.length] ?? null,
  }))
  return [...(set.foreign ?? []), ...strange].slice(0, most)
}

/** Fisher-Yates shuffle with a seed. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
  }
  return copy
}
