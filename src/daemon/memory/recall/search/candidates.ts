import type { FoundHits } from '../../../../store/index/packed/packed-hits.js'
import type { FoundChunk } from '../../../../store/tables/knowledge/source-chunks.js'
import type { JudgedMemory, RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Confidence } from '../ranking/confidence.js'
import type { ScoredCandidate } from '../ranking/evidence.js'
import type { StepReport } from '../ranking/run-steps.js'
import type { Channels } from './channels.js'
import type { GraphReader, QueryPaths } from './graph/find-paths.js'

/*
 * A row on its way through a recall: a `Candidate` is an id with evidence, an `AuthorizedRow` has the columns that the
 * ranking reads, a `WholeRow` has all columns that a reply shows, and a `RecallRow` of the contract is what the caller gets.
 */

/** A memory that the reader may see, with its place in the ranking. */
export interface AuthorizedRow extends ScoredCandidate {
  row: JudgedMemory
}

/** The same memory with everything that a reply shows of it. */
export interface WholeRow extends ScoredCandidate {
  row: RecallableMemory
}

/** A chunk of an artifact with its place in the ranking. */
export interface ArtifactRow extends ScoredCandidate {
  chunk: FoundChunk
}

/** The query, and the rows that its reader may see. */
export interface CandidateSearch {
  query: string
  /** Words for the keyword and hint channels when they are not those of the query. */
  keywordQuery?: string | null | undefined
  boundary: ReadBoundary
  filter: MemoryFilter
  /** Load at least this many of the best rows, if there are so many. */
  limit: number
  /** Ratings that the session gave to rows that it was shown, -1 to 1 by memory id. */
  ratings?: ReadonlyMap<string, number> | undefined
  /** Also reads the ties of rows to code, and whether that code moved. */
  code?: boolean
  /** Also searches the artifacts of sources: all of them, or only those that may pass the default cut-off. */
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

/** Chunks of artifacts in the order of a ranking of their own. */
export interface ArtifactRanking {
  /** Best first. */
  rows: ArtifactRow[]
  confidence: Confidence
}

/**
 * Ranks artifacts that the index searched at the same time as memories. Called once, or never where there is no room
 * for them. Undefined where none may be found, or their search failed.
 */
export type RankArtifacts = (wanted: { areAlone: boolean }) => Promise<ArtifactRanking | undefined>

/** What a search gave, and how its steps went. */
export interface SearchResult extends StepReport, MemoryRanking {
  hits: FoundHits
  /** Chunks of documents beside the memories; undefined where both are in one ranking. */
  documents: MemoryRanking | undefined
  /** Undefined where the search leaves artifacts out. */
  artifacts?: RankArtifacts | undefined
  /** The paths from what the query names; undefined where no graph was read, or reading it failed. */
  paths?: QueryPaths | undefined
  /** Why the vector channel did not take part, when it did not. */
  embedding: string | undefined
}
