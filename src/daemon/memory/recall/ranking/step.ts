import type { ChannelCeilings, IndexFacts } from '../../../../store/index/search.js'
import type { CandidateRows } from './candidate-rows.js'
import type { Ground, Validity } from './currentness.js'
import type { Effect, GraphEvidence, RankableHits } from './evidence.js'
import type { Column, EvidenceTable, Values } from './evidence-table.js'

/** What a step that sees ids may look at. */
export interface RankContext {
  query: string
  hits: RankableHits
  /** The rows of the hits, and whatever else is known to be about the query. */
  rows: CandidateRows
  /** Absent where nothing is known of what the query names, and in rankings that do not ask. */
  graph?: GraphEvidence | undefined
  /** Milliseconds since the epoch: what "yesterday" in a query is relative to. */
  now: number
}

/** What a step that sees content may look at: rows that were authorised and loaded; ids without an entry were not. */
export interface ContentContext extends Pick<RankContext, 'query' | 'now'> {
  facts: (id: string) => IndexFacts | undefined
  contents: ReadonlyMap<string, string>
  /** How the query stands to all rows that were searched. */
  asked: Pick<ChannelCeilings, 'words' | 'unknown' | 'volume'>
  /** Whether the vectors are sums of word vectors: they order rows and tell nothing of whether these answer. */
  wordVectors?: boolean
  /** How near the nearest row is by meaning, 0..1; 0 without vectors. */
  nearest: number
  /** Share of the query that a row answers to by words or by meaning, 0..1; see `answersIn`. */
  coverage: (id: string) => number
  /** How often a row says words of the query. */
  occurrences: (id: string) => number
  /** What the same rows tell about their time. */
  rows: ReadonlyMap<string, Validity & { type: string; source_id?: string | null }>
  /** Chunks of one document must not take all places. */
  spread?: boolean
  /** What the session said of rows that it was shown, -1 to 1 by memory id. */
  ratings: ReadonlyMap<string, number>
  /** Ids of memories of the project that the caller works in; absent when one project is searched, or all. */
  ownProject?: ReadonlySet<string> | undefined
  /** What rows say of code, of which not all is as it was. */
  ground?: ReadonlyMap<string, Ground> | undefined
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

/** Finds candidates by what the channels give to them. */
interface FindStep<Context> {
  effect: 'find'
  run: (context: Context) => readonly Column[]
}

/** Names the places of more candidates. */
interface WidenStep<Context> {
  effect: 'widen'
  run: (context: Context, table: EvidenceTable) => readonly number[]
}

/** Gives values to rows; the others are left as they are. */
interface EvidenceStep<Context> {
  effect: Effect
  run: (context: Context, table: EvidenceTable) => Values
}

/** A step that runs on everything that was found, before anything is authorised. */
export type IdStep = Step<RankContext> & { sees: 'ids' }

/** A step that runs on rows that are authorised and loaded. */
export type ContentStep = Step<ContentContext> & { sees: 'content' }
