import type { SearchParameters } from '../../../../contract/memory/memory.js'
import type { FoundHits } from '../../../../store/index/packed/packed-hits.js'
import type { PassageRow } from '../../../../store/tables/knowledge/source-chunks.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { RecallSession } from '../../../../store/tables/memory/recall-ledger.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Confidence } from '../ranking/confidence.js'
import type { ScoredCandidate } from '../ranking/evidence.js'
import type { StepReport } from '../ranking/run-steps.js'
import type { Channels } from './filter.js'
import type { GraphReader, QueryPaths } from './find-paths.js'

/*
 * Rows on their way through a recall: a `Candidate` is an id with evidence, an `AuthorizedRow` has the
 * columns of the ranking and of the reply, and the caller gets a `RecallRow`.
 */

/** A ranked memory that the reader may see. */
export interface AuthorizedRow extends ScoredCandidate {
  row: RecallableMemory
}

/** A ranked chunk of an artifact. */
export interface ArtifactRow extends ScoredCandidate {
  chunk: PassageRow
}

/** A query with the boundary of its reader. */
export interface CandidateSearch {
  query: string
  /** Words for the keyword and hint channels, when they differ from the query. */
  keywordQuery?: string | null | undefined
  boundary: ReadBoundary
  filter: MemoryFilter
  /** The result of `mayMatchBoth`, if it is asked for already. */
  both?: Promise<boolean>
  /** Load at least this many of the best rows. */
  limit: number
  /** Ratings by the session, -1 to 1 by memory id. */
  ratings?: ReadonlyMap<string, number> | undefined
  /** Also reads the ties of rows to code, and whether that code changed. */
  code?: boolean
  /** Also searches artifacts of sources: all of them, or only those that may pass the default cut-off. */
  artifacts?: 'all' | 'answering'
  /** Also looks up the entities that the query names. */
  graph?: GraphReader | undefined
  channels?: Channels
}

/** Memories in the order of one ranking, before any cut-off. */
export interface MemoryRanking {
  /** Best first. */
  rows: AuthorizedRow[]
  confidence: Confidence
}

/** Chunks of artifacts in their own ranking. */
export interface ArtifactRanking {
  /** Best first. */
  rows: ArtifactRow[]
  confidence: Confidence
}

/**
 * Ranks artifacts whose index search runs alongside that of memories. Called at most once, and not at all
 * without free places. Returns undefined when no artifact is allowed or the search failed.
 */
export type RankArtifacts = (wanted: { areAlone: boolean }) => Promise<ArtifactRanking | undefined>

/** The result of a search, with timings and failures of its steps. */
export interface SearchResult extends StepReport, MemoryRanking {
  hits: FoundHits
  /** Chunks of documents in their own ranking; undefined when they share one with memories. */
  documents: MemoryRanking | undefined
  /** Undefined when the search leaves out artifacts. */
  artifacts?: RankArtifacts | undefined
  /** Graph paths from the names in the query; undefined when no graph was read or reading failed. */
  paths?: QueryPaths | undefined
  /** Reason why the vector channel was not used. */
  embedding: string | undefined
}

/** A recall in progress. */
export interface RecallRequest {
  caller: Caller
  body: SearchParameters
  boundary: ReadBoundary
  filter: MemoryFilter
  /** Undefined without a session key. */
  ledger: RecallLedger | undefined
  /** Undefined when the settings disable every use of the ontology. */
  graph: GraphReader | undefined
  /** True when ties of rows to code are read. */
  code: boolean
  report: StepReport
}

/** Ids that a session was shown before this recall, and its ratings. */
export interface RecallLedger {
  session: RecallSession
  /** Ids shown in the current context epoch. */
  recalled: ReadonlySet<string>
  /** -1 to 1 by memory id, from all epochs. */
  ratings: ReadonlyMap<string, number>
}
