import { authorEvidence } from './author.js'
import { dateEvidence } from './dates.js'
import { type EvidenceStep, type RankContext, totalEvidence } from './evidence.js'
import { fuse } from './fuse.js'
import { neighbourEvidence, widen } from './neighbours.js'
import { attempt, type Ranking, runSteps, type Start, type StepReport } from './run-steps.js'
import { sessionEvidence } from './session.js'

const STEPS: readonly EvidenceStep<RankContext>[] = [
  { name: 'session', effect: 'add', run: sessionEvidence },
  { name: 'neighbours', effect: 'add', run: neighbourEvidence },
  { name: 'author', effect: 'multiply', run: authorEvidence },
  { name: 'date', effect: 'multiply', run: dateEvidence },
]

/**
 * Ranks the hits of the index without any content: fusion of the channels (spec 1, 1.3.5), then the optional
 * evidence steps (spec 1, 1.3.9). The ranking may hold neighbours that no filter has seen: authorise every id
 * before its content is loaded (spec 1, 1.3.6).
 *
 * @param steps only a test replaces them
 */
export function rankCandidates(input: Omit<RankContext, 'own'>, steps = STEPS): Ranking {
  const report: StepReport = { timings: {}, failures: [] }
  const started = performance.now()
  const start = new Map<string, Start>()
  const found = new Map<string, number>()
  for (const [id, contributions] of fuse(input.hits)) {
    const own = totalEvidence(contributions)
    start.set(id, { own, contributions })
    found.set(id, own)
  }
  report.timings.fuse = performance.now() - started
  const own = attempt(report, 'widen', () => widen(found, input.facts)) ?? found
  return runSteps(start, steps, { ...input, own }, report)
}
