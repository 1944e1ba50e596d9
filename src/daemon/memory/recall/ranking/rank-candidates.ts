import type { IndexFacts } from '../../../../store/index/search.js'
import { CandidateRows } from './candidate-rows.js'
import { type Confidence, confidenceIn, scored } from './confidence.js'
import type { Candidate, ScoredCandidate } from './evidence.js'
import { EvidenceTable, type RankedPlaces } from './evidence-table.js'
import { type Ranking, runSteps, type StepReport, timeStep } from './run-steps.js'
import type { ContentContext, ContentStep, IdStep, RankContext, Step } from './step.js'
import { steps } from './steps.js'

const idSteps = steps.filter((step): step is IdStep => step.sees === 'ids')

/** Steps for rows without facts in the index; the other steps would give them nothing. */
export const stepsWithoutFacts = idSteps.filter(({ needsFacts }) => !needsFacts)

/** A ranking by ids with its candidate rows. */
export interface CandidateRanking extends Ranking {
  rows: CandidateRows
}

const contentSteps = steps.filter((step): step is ContentStep => step.sees === 'content')

/** A finished ranking: every row has its score. */
export interface RefinedRanking extends StepReport {
  /** Best first. */
  ranked: ScoredCandidate[]
  confidence: Confidence
}

/**
 * Ranks hits of the index without content, with the steps that see ids. The ranking may contain neighbours
 * that no filter has checked: authorise every id before loading its content (recall.md 1.3.6).
 *
 * @param table steps to run; all that see ids by default
 */
export function rankCandidates(
  input: Omit<RankContext, 'rows'>,
  table: readonly Step<RankContext>[] = idSteps,
): CandidateRanking {
  const { query, hits, graph, now } = input
  const led = graph ? graph.claims.size + graph.traversal.size : 0
  const rows = new CandidateRows(hits, hits.rows + led)
  const { ranked, timings, failures } = runSteps(
    table,
    { query, hits, graph, now, rows },
    new EvidenceTable(rows),
  )
  return { ranked, timings, failures, rows }
}

/**
 * Refines a ranking of authorised, loaded rows with the steps that see content (recall.md 1.3.6 and 1.3.9).
 * Rows without an entry in `contents` are left out.
 *
 * @param table replaced only in tests
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

/** Loaded rows of a ranking by place; no rows are added. */
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

/**
 * If facts can't be read, the confidence is computed without them and the answer is kept (recall.md 1.3.9).
 */
function judge(ranked: readonly Candidate[], input: ContentContext, report: StepReport): Confidence {
  let confidence: Confidence | undefined
  timeStep({ name: 'confidence', optional: true }, report, () => {
    confidence = confidenceIn(ranked, input)
  })
  return confidence ?? confidenceIn(ranked, { ...input, facts: () => undefined })
}

/** Facts for a row the index has none about: no session, and the terms of its text. */
export function factsWithoutIndex(text: string): IndexFacts {
  const terms = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu)).size
  return { who: null, createdAt: 0, session: null, previous: null, next: null, terms, sessionTerms: terms }
}
