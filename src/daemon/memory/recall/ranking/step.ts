import type { ChannelCeilings, IndexFacts } from '../../../../store/index/search.js'
import type { CandidateRows } from './candidate-rows.js'
import type { CodeDrift, Validity } from './currentness.js'
import type { Effect, GraphEvidence, ModelKind, RankableHits } from './evidence.js'
import type { Column, EvidenceTable, Values } from './evidence-table.js'

/** Input of steps that rank hits by what the index knows of them, before any content is loaded. */
export interface RankContext {
  query: string
  hits: RankableHits
  /** Rows of the hits and of graph evidence. */
  rows: CandidateRows
  /** Absent when the query names nothing known, or the ranking reads no graph. */
  graph?: GraphEvidence | undefined
  /** Milliseconds since the epoch; the reference for "yesterday" in a query. */
  now: number
}

/** Input of steps that see content: authorised, loaded rows; other ids have no entry. */
export interface ContentContext extends Pick<RankContext, 'query' | 'now'> {
  facts: (id: string) => IndexFacts | undefined
  contents: ReadonlyMap<string, string>
  /** Statistics of the query over all searched rows. */
  asked: Pick<ChannelCeilings, 'words' | 'unknown' | 'volume'>
  /** The model of the vectors; `other` when absent. */
  model?: ModelKind
  /** Nearness of the nearest row by meaning, 0..1; 0 without vectors. */
  nearest: number
  /** Cosine of the nearest row by the packaged sentence model; undefined without it. */
  cosine?: number | undefined
  /** True for rows whose vector was compared. */
  compared: (id: string) => boolean
  /** Share of the query that a row covers by words or meaning, 0..1; see `answersIn`. */
  coverage: (id: string) => number
  /** How often words of the query occur in a row. */
  occurrences: (id: string) => number
  /** Validity of the same rows. */
  rows: ReadonlyMap<string, Validity & { type: string; source_id?: string | null }>
  /** Limits the chunks of one document. */
  spread?: boolean
  /** Ratings of the session, -1 to 1 by memory id. */
  ratings: ReadonlyMap<string, number>
  /** Judgements of people by id: 1 helpful, -1 not helpful, -2 wrong. */
  judged?: ReadonlyMap<string, number> | undefined
  /** Ids of memories of the project that the caller works in; absent when one project is searched, or all. */
  ownProject?: ReadonlySet<string> | undefined
  /** Code references of rows with changed or deleted code. */
  ground?: ReadonlyMap<string, CodeDrift> | undefined
}

/** One step of a ranking. */
export type Step<Context> = StepTraits<Context> &
  (FindStep<Context> | WidenStep<Context> | EvidenceStep<Context>)

interface StepTraits<Context> {
  /** As in `meta.timings`, `meta.skipped` and `explain`. */
  name: string
  /** A failed optional step is skipped (recall.md 1.3.9); a failure of another step fails the recall. */
  optional: boolean
  /** The step always runs when absent. A skipped step is not timed. */
  when?: (context: Context) => boolean
  /** Left out of `meta.timings`. */
  untimed?: true
  /** The step gives nothing to rows without facts in the index. */
  needsFacts?: true
}

/** Finds candidates by the values of channels. */
interface FindStep<Context> {
  effect: 'find'
  run: (context: Context) => readonly Column[]
}

/** Adds candidates by place. */
interface WidenStep<Context> {
  effect: 'widen'
  run: (context: Context, table: EvidenceTable) => readonly number[]
}

/** Gives values to rows; the others stay unchanged. */
interface EvidenceStep<Context> {
  effect: Effect
  run: (context: Context, table: EvidenceTable) => Values
}

/** A step that runs on all found rows, before authorisation. */
export type IdStep = Step<RankContext> & { sees: 'ids' }

/** A step that runs on authorised, loaded rows. */
export type ContentStep = Step<ContentContext> & { sees: 'content' }
