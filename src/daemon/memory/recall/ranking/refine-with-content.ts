import { type Confidence, confidenceIn, scored } from './confidence.js'
import type { ContentContext, ContentStep, Ranked, RankedRow, Step } from './evidence.js'
import { perform, runSteps, type StepReport } from './run-steps.js'
import { steps } from './steps.js'

const contentSteps = steps.filter((step): step is ContentStep => step.sees === 'content')

/** A finished ranking: every row has its score. */
export interface RefinedRanking extends StepReport {
  /** Best first. */
  ranked: RankedRow[]
  confidence: Confidence
}

/**
 * Refines a ranking by what its rows say and what is known of them, after they were authorised and loaded: the steps
 * that see content (recall.md 1.3.6 and 1.3.9). Rows without an entry in `contents` are left out of the result.
 *
 * @param table only a test replaces it
 */
export function refineWithContent(
  ranked: readonly Ranked[],
  input: Omit<ContentContext, 'own'>,
  table: readonly Step<ContentContext>[] = contentSteps,
): RefinedRanking {
  const given = new Map<string, Ranked['contributions']>()
  const own = new Map<string, number>()
  for (const row of ranked) {
    // Only the best rows are loaded: after the last loaded one the rest can be skipped.
    if (given.size === input.contents.size) break
    if (!input.contents.has(row.id)) continue
    given.set(row.id, row.contributions)
    own.set(row.id, row.own)
  }
  const { ranked: rows, ...report } = runSteps(table, { ...input, own }, given)
  const confidence = judge(rows, input, report)
  return { ...report, ranked: scored(rows, confidence), confidence }
}

/** Facts that cannot be read cost the judgement what it reads from them, not the answer (recall.md 1.3.9). */
function judge(
  ranked: readonly Ranked[],
  input: Omit<ContentContext, 'own'>,
  report: StepReport,
): Confidence {
  let confidence: Confidence | undefined
  perform({ name: 'confidence', optional: true }, report, () => {
    confidence = confidenceIn(ranked, input)
  })
  return confidence ?? confidenceIn(ranked, { ...input, facts: () => undefined })
}
