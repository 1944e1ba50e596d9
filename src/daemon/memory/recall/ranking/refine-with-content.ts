import type { IndexFacts } from '../../../../store/index/search.js'
import { type Confidence, confidenceIn, scored } from './confidence.js'
import type { Candidate, ScoredCandidate } from './evidence.js'
import { EvidenceTable, type RankedPlaces } from './evidence-table.js'
import { perform, runSteps, type StepReport } from './run-steps.js'
import type { ContentContext, ContentStep, Step } from './step.js'
import { steps } from './steps.js'

const contentSteps = steps.filter((step): step is ContentStep => step.sees === 'content')

/** A finished ranking: every row has its score. */
export interface RefinedRanking extends StepReport {
  /** Best first. */
  ranked: ScoredCandidate[]
  confidence: Confidence
}

/**
 * Refines a ranking by what its rows say and what is known of them, after they were authorised and loaded: the steps
 * that see content (recall.md 1.3.6 and 1.3.9). Rows without an entry in `contents` are left out of the result.
 *
 * @param table only a test replaces it
 */
export function refineWithContent(
  ranked: readonly Candidate[],
  input: ContentContext,
  table: readonly Step<ContentContext>[] = contentSteps,
): RefinedRanking {
  const before = ranked.filter(({ id }) => input.contents.has(id))
  const ranking = runSteps(table, input, new EvidenceTable(new LoadedRows(before), before))
  const all = ranking.ranked.slice()
  const confidence = judge(all, input, ranking)
  const { timings, failures } = ranking
  return { timings, failures, ranked: scored(all, confidence), confidence }
}

/** The rows of a ranking that were loaded, by their places. Nothing else comes in. */
class LoadedRows implements RankedPlaces {
  readonly #ranked: readonly Candidate[]
  readonly #places: ReadonlyMap<string, number>

  constructor(ranked: readonly Candidate[]) {
    this.#ranked = ranked
    this.#places = new Map(ranked.map(({ id }, place) => [id, place]))
  }

  get count(): number {
    return this.#ranked.length
  }

  get capacity(): number {
    return this.#ranked.length
  }

  id(place: number): string {
    return this.#ranked[place]!.id
  }

  placeOf(id: string): number | undefined {
    return this.#places.get(id)
  }
}

/** Facts that cannot be read cost the judgement what it reads from them, not the answer (recall.md 1.3.9). */
function judge(ranked: readonly Candidate[], input: ContentContext, report: StepReport): Confidence {
  let confidence: Confidence | undefined
  perform({ name: 'confidence', optional: true }, report, () => {
    confidence = confidenceIn(ranked, input)
  })
  return confidence ?? confidenceIn(ranked, { ...input, facts: () => undefined })
}

/**
 * Facts of a row that the index tells none of: it stands in no session as far as is known, and how many words its text
 * has tells how many it says by chance.
 */
export function loneFacts(text: string): IndexFacts {
  const terms = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu)).size
  return { who: null, createdAt: 0, session: null, previous: null, next: null, terms, sessionTerms: terms }
}
