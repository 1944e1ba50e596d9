import type { ChannelCeilings, ChannelHit, IndexFacts, IndexHits } from '../../../../store/index/search.js'
import type { Validity } from './currentness.js'
import type { Ground } from './ground.js'
import { weights } from './weights.js'

/** Hits of the index; without ceilings a score can only be compared with its own query's best. */
export type RankableHits = Pick<
  IndexHits,
  'keyword' | 'expansion' | 'coverage' | 'occurrences' | 'hints' | 'vector' | 'sessions'
> &
  Partial<Pick<IndexHits, 'ceilings'>> & {
    /** Whether the vectors are sums of word vectors: the model of this package. */
    wordVectors?: boolean
  }

/** `add` puts evidence in, `multiply` weighs the sum of all that was added. */
export type Effect = 'add' | 'multiply'

/** What one channel or step gave to one memory. */
export interface Contribution {
  /** Name of the channel (`keyword`, `hints`, `vector`, `claims`, `traversal`) or of the step. */
  step: string
  effect: Effect
  value: number
}

/** A memory with its place in the ranking, before or after its content was looked at. */
export interface Ranked {
  id: string
  /** Sum of the additions times the product of the factors. */
  evidence: number
  /** Evidence from the channels alone: what the row itself has to show. */
  own: number
  contributions: readonly Contribution[]
}

/** A row of a finished ranking. */
export interface RankedRow extends Ranked {
  /** 0..1, comparable across queries: of the best row the chance that it answers the query. */
  score: number
}

/** What each memory was given so far, by id, in the order it was given. */
export type Given = ReadonlyMap<string, readonly Contribution[]>

/** What is known of the entities that a query names gives to memories: points by id. */
export interface GraphEvidence {
  /** By the claims that they say. */
  claims: ReadonlyMap<string, number>
  /** By the entities that they mention. */
  traversal: ReadonlyMap<string, number>
}

/** What a step that sees ids may look at. */
export interface RankContext {
  query: string
  hits: RankableHits
  /** Absent where nothing is known of what the query names, and in rankings that do not ask. */
  graph?: GraphEvidence | undefined
  facts: (id: string) => IndexFacts | undefined
  /** Own evidence by candidate: what the channels gave, 0 for a row that is only next to a hit. */
  own: ReadonlyMap<string, number>
  /** Milliseconds since the epoch: what "yesterday" in a query is relative to. */
  now: number
}

/** What a step that sees content may look at: rows that were authorised and loaded; ids without an entry were not. */
export interface ContentContext extends Omit<RankContext, 'hits' | 'graph'> {
  contents: ReadonlyMap<string, string>
  /** How the query stands to all rows that were searched. */
  asked: Pick<ChannelCeilings, 'words' | 'unknown' | 'volume'>
  /** Whether the vectors are sums of word vectors: they order rows and tell nothing of whether these answer. */
  wordVectors?: boolean
  /** How near the nearest row is by meaning, 0..1; 0 without vectors. */
  nearest: number
  /** Share of the query that rows answer to by words or by meaning, 0..1; see `coverageIn`. */
  coverage: ReadonlyMap<string, number>
  /** How often a row says words of the query; see `occurrencesIn`. */
  occurrences: (id: string) => number
  /** What the same rows tell about their time. */
  rows: ReadonlyMap<string, Validity & { type: string; source_id?: string | null }>
  /** Chunks of one document must not take all places. */
  spread?: boolean
  /** What the session said of rows that it was shown, -1 to 1 by memory id. */
  ratings: ReadonlyMap<string, number>
  /** What rows say of code, of which not all is as it was. */
  ground?: ReadonlyMap<string, Ground>
}

/** One step of a ranking. */
export type Step<Context> = StepTraits<Context> &
  (FindStep<Context> | WidenStep<Context> | EvidenceStep<Context>)

interface StepTraits<Context> {
  /** As `meta.timings`, `meta.skipped` and `explain` show it. */
  name: string
  /** Skipped as a whole when it fails (recall.md 1.3.9); without any other step there is no answer. */
  optional: boolean
  /** Absent: always. A step that is left out is not timed either. */
  when?: (context: Context) => boolean
  /** Not in `meta.timings`. */
  untimed?: true
  /** Gives nothing to rows of which the index tells no facts. */
  needsFacts?: true
}

/** Finds candidates, each with what the channels give to it. */
interface FindStep<Context> {
  effect: 'find'
  /** What it gives belongs to the ranking from then on, the lists too. */
  run: (context: Context) => Map<string, Contribution[]>
}

/** Gives own evidence anew, with more candidates in it. */
interface WidenStep<Context> {
  effect: 'widen'
  run: (context: Context) => ReadonlyMap<string, number>
}

/** Gives values by memory id; missing ids are left as they are. */
interface EvidenceStep<Context> {
  effect: Effect
  run: (context: Context, given: Given) => ReadonlyMap<string, number>
}

/** A step that runs on everything that was found, before anything is authorised. */
export type IdStep = Step<RankContext> & { sees: 'ids' }

/** A step that runs on rows that are authorised and loaded. */
export type ContentStep = Step<ContentContext> & { sees: 'content' }

/** @returns the evidence of a list of contributions: the sum of additions times the product of factors. */
export function totalEvidence(contributions: readonly Contribution[]): number {
  let sum = 0
  let factor = 1
  for (const { effect, value } of contributions) {
    if (effect === 'add') sum += value
    else factor *= value
  }
  return Math.max(0, sum * factor)
}

/** @returns the evidence of every memory, by id. */
export function evidenceById(given: Given): Map<string, number> {
  const evidence = new Map<string, number>()
  for (const [id, contributions] of given) evidence.set(id, totalEvidence(contributions))
  return evidence
}

/** @returns the score that counts as full coverage of the query in a channel; the best of `scores` where no ceiling is known */
export function fullCoverage(
  hits: RankableHits,
  channel: 'keyword' | 'hints' | 'sessions',
  scores: Iterable<number>,
): number {
  const { ceilings } = hits
  if (!ceilings || !(ceilings[channel] > 0)) return Math.max(Number.MIN_VALUE, ...scores)
  return ceilings[channel] * Math.min(1, weights.fuse.fullQuestionWords / Math.max(1, ceilings.words))
}

/** @returns scores by memory id; the better one where an id appears twice. */
export function byId(hits: readonly ChannelHit[]): Map<string, number> {
  const scores = new Map<string, number>()
  for (const { id, score } of hits) {
    const known = scores.get(id)
    scores.set(id, known === undefined ? score : Math.max(score, known))
  }
  return scores
}

/** Best first; equal scores in the order of their ids, so that a ranking is repeatable. */
export function byScore(a: Ranked, b: Ranked): number {
  return b.evidence - a.evidence || (a.id < b.id ? -1 : 1)
}
