import { seededRandom } from '../index/synthetic.js'
import { type Asked, projectsOf, type QualitySet } from './quality-set.js'

/** Questions that are asked of a set at most. */
const most = 200

/**
 * Questions that nothing in this set answers: the foreign ones that it has, then questions of the other families. The
 * same in every run, about as many of each other set, asked in turn in the projects of this one.
 */
export function foreignQuestions(set: QualitySet, all: readonly QualitySet[]): Asked[] {
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

/** Fisher-Yates by a seed. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
  }
  return copy
}
