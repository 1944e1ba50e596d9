import { turnsAfter } from '../../../lib/concurrency/every-few-ms.js'
import { EmbeddingRefused, EmbeddingUnavailable, unreadText } from '../../../store/embedding/embedder.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { IndexFacts } from '../../../store/index/search.js'
import type { JudgedMemory, RecallableMemory } from '../../../store/tables/memory/memories.js'
import {
  chunkType,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Channels, isOn, onlyOf, switchedOff, wordsFor } from './channels.js'
import {
  type ArtifactRanking,
  artifactFilter,
  type RankArtifacts,
  searchArtifacts,
} from './find-artifacts.js'
import { type FoundPaths, findPaths, type GraphReader } from './graph/find-paths.js'
import { judgedRows } from './judged-rows.js'
import { optional, timed } from './optional-steps.js'
import type { Confidence } from './ranking/confidence.js'
import { type RankedRow, rankable } from './ranking/evidence.js'
import { answersIn } from './ranking/fuse.js'
import type { Ground } from './ranking/ground.js'
import { loneFacts } from './ranking/lone-facts.js'
import { type CandidateRanking, rankCandidates } from './ranking/rank-candidates.js'
import { refineWithContent } from './ranking/refine-with-content.js'
import type { StepReport } from './ranking/run-steps.js'
import { weights } from './ranking/weights.js'
import { toIndexFilter } from './recall-filter.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'artifactIndex' | 'embedder' | 'clock' | 'log'>

/** An authorised row with its place in the ranking; see `wholeRows` for the rest of it. */
export interface Judged extends RankedRow {
  row: JudgedMemory
}

/** The same with everything that is told of it. */
export interface Found extends RankedRow {
  row: RecallableMemory
}

/** What is looked for, and by whom. */
export interface CandidateSearch {
  query: string
  /** Words for the keyword and hint channels when they are not those of the query. */
  keywordQuery?: string | null | undefined
  boundary: ReadBoundary
  filter: MemoryFilter
  /** Load at least this many of the best rows, if there are so many. */
  limit: number
  /** What the session said of rows that it was shown, -1 to 1 by memory id. */
  ratings?: ReadonlyMap<string, number> | undefined
  /** Also asks what rows say of code, and whether that moved. */
  code?: boolean
  /** Also looks through the artifacts of sources: for those of any score, or for some that pass the default cut-off. */
  artifacts?: 'all' | 'answering'
  /** Also asks what is known of what the query names. */
  graph?: GraphReader | undefined
  channels?: Channels
}

/** One ranking, best first, before any cut-off. */
export interface Ranking {
  found: Judged[]
  confidence: Confidence
}

/** Artifacts that were searched at the same time; they cost nothing but that until it is called, once. */
export type ArtifactsBeside = (...wanted: Parameters<RankArtifacts>) => Promise<ArtifactRanking | undefined>

/** What was found, and how that went. */
export interface Candidates extends StepReport, Ranking {
  hits: FoundHits
  /** Chunks beside the memories, where both may be found; undefined where all stands in one ranking. */
  documents: Ranking | undefined
  /** Ranks artifacts of sources, for whom has room for them; undefined where none may be found. */
  artifacts?: ArtifactsBeside | undefined
  /** What is known of what the query names; undefined where that was not asked, or failed. */
  paths?: FoundPaths | undefined
  /** Why the vector channel did not take part, when it did not. */
  embedding: string | undefined
}

/**
 * Candidates by id from every channel -> evidence -> one authorisation in SQL -> only then content -> the steps
 * that see it (recall.md 1.3.5 to 1.3.9). Where documents were read, memories and chunks are searched and ranked each by
 * themselves: thousands of chunks would take the places of memories in every channel, and a strong one would cut them
 * off (ranking.md#memories-beside-documents).
 */
export async function findCandidates(deps: Deps, request: CandidateSearch): Promise<Candidates> {
  const timings: Record<string, number> = {}
  const failures: Candidates['failures'] = []
  const { vector, wordVectors, problem } = isOn(request.channels, 'vector')
    ? await timed(timings, 'embed', () => embedQuery(deps, request.query))
    : { vector: undefined, wordVectors: false, problem: switchedOff }
  // At the same time: the index of artifacts is another one.
  const artifacts = request.artifacts ? artifactsBeside(deps, request, { vector, wordVectors }) : undefined
  const asked: { paths?: Promise<FoundPaths | undefined> } = {}
  const paths = () => (asked.paths ??= pathsBeside(deps, request, { timings, failures }))
  const { memories, documents } = await memoriesAndDocuments(deps, {
    search: request,
    filter: request.filter,
    vector,
    wordVectors,
    paths,
    rows: 'all',
  })
  addTimings(timings, memories.timings)
  if (documents) timings.documents = Object.values(documents.timings).reduce((sum, ms) => sum + ms, 0)
  return {
    found: memories.found,
    confidence: memories.confidence,
    hits: memories.hits,
    documents,
    artifacts,
    paths: await paths(),
    timings,
    failures: [...failures, ...memories.failures, ...(documents?.failures ?? [])],
    embedding: problem,
  }
}

interface MemoriesAndDocuments {
  memories: SearchedRanking
  /** Undefined where all stands in one ranking. */
  documents: SearchedRanking | undefined
}

async function memoriesAndDocuments(deps: Deps, request: RankingRequest): Promise<MemoriesAndDocuments> {
  const { filter } = request
  if (!(await mayBeBoth(deps, filter)))
    return { memories: await rankingOf(deps, request), documents: undefined }
  // At the same time: a large index lives in a thread, which searches for the one while the other is ranked here.
  const [memories, documents] = await Promise.all([
    rankingOf(deps, { ...request, filter: { ...filter, chunks: false } }),
    rankingOf(deps, { ...request, filter: { ...filter, types: [chunkType] }, rows: 'chunks' }),
  ])
  return { memories, documents }
}

/** Takes what steps took, in their order. */
export function addTimings(to: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const step in more) to[step] = more[step]!
}

/**
 * Artifacts that a recall may give beside memories; a fault costs them, not the answer. Sources belong to no project: where
 * one is named they are found by words alone (recall.md 1.3.12).
 */
function artifactsBeside(
  deps: Deps,
  { query, keywordQuery, boundary, filter, limit, artifacts, channels }: CandidateSearch,
  { vector, wordVectors }: AskedVector,
): ArtifactsBeside {
  const begin = async () => {
    const agents = await deps.store.tables.sources.agentsWithin(boundary)
    const narrowed = artifactFilter(boundary, filter, agents)
    if (!narrowed) return undefined
    const byVector = filter.project === undefined ? vector : undefined
    return searchArtifacts(deps, {
      query,
      keywordQuery,
      vector: byVector,
      wordVectors,
      filter: narrowed,
      limit,
      channels,
      ifAnswering: artifacts === 'answering',
    })
  }
  const begun = begin()
  begun.catch(() => undefined)
  return async wanted => {
    try {
      return await (await begun)?.(wanted)
    } catch (error) {
      deps.log.warn({ err: error }, 'artifacts of sources not searched')
      return undefined
    }
  }
}

/** What is known of what the query names, looked up while the index is searched. */
async function pathsBeside(
  deps: Deps,
  { query, filter, graph, ratings = new Map() }: CandidateSearch,
  report: StepReport,
): Promise<FoundPaths | undefined> {
  if (!graph) return undefined
  return optional(deps, report, 'graph', () =>
    findPaths(deps, graph, { query, project: filter.project, ratings }),
  )
}

/** Whether memories and chunks may both be found. */
async function mayBeBoth({ store }: Deps, { types, chunks, document }: MemoryFilter): Promise<boolean> {
  if (types || chunks === false || document !== undefined) return false
  return store.tables.documentChunks.any()
}

/** The vector of a query, and whether the model of this package made it. */
interface AskedVector {
  vector?: Float32Array | undefined
  wordVectors: boolean
}

interface RankingRequest extends AskedVector {
  search: CandidateSearch
  /** That of the search, or narrower. */
  filter: MemoryFilter
  /** Looks up what is known once; asked when the index has its question, since a thread answers that one. */
  paths: () => Promise<FoundPaths | undefined>
  /** Of chunks beside memories fewer are looked at, and those of one document don't take all places. */
  rows: 'all' | 'chunks'
}

/** A ranking, and what the index found for it. */
interface SearchedRanking extends StepReport, Ranking {
  hits: FoundHits
}

async function rankingOf(deps: Deps, request: RankingRequest): Promise<SearchedRanking> {
  const { search, vector, filter } = request
  const spread = request.rows === 'chunks'
  const timings: Record<string, number> = {}
  const searched = timed(timings, 'index', () =>
    deps.index.search({
      text: wordsFor(search.channels, search),
      vector,
      filter: toIndexFilter(search.boundary, filter),
      evidence: true,
      depth: spread ? weights.document.depth : weights.candidates.depth,
    }),
  )
  const [found, graph] = await Promise.all([searched, request.paths()])
  const hits = rankable(onlyOf(search.channels, found.packed), request.wordVectors)
  const { query } = search
  const now = deps.clock().getTime()
  const ranking = rankCandidates({ query, now, hits, graph })
  const { best, rows } = await timed(timings, 'authorize', () =>
    judgedRows(
      deps,
      { boundary: search.boundary, filter, limit: search.limit, rows: request.rows },
      ranking.ranked,
    ),
  )
  await turnsAfter(rows.values())
  const { contents, facts } = readRows(rows, ranking)
  const { wordVectors, asked, nearest, coverage, occurrences } = answersIn(hits, ranking.rows)
  const refined = refineWithContent(best, {
    query,
    now,
    facts: id => facts.get(id),
    contents,
    wordVectors,
    asked,
    nearest,
    coverage,
    occurrences,
    rows,
    ratings: search.ratings ?? new Map(),
    spread,
    ground: search.code ? await groundBeside(deps, [...rows.keys()]) : undefined,
  })
  const failures = [...ranking.failures, ...refined.failures]
  for (const failure of failures) deps.log.warn(failure, 'recall step skipped')
  for (const steps of [found.timings, ranking.timings, refined.timings]) addTimings(timings, steps)
  return {
    found: refined.ranked.map(({ id, evidence, own, contributions, score }) => {
      return { id, evidence, own, contributions, score, row: rows.get(id) as JudgedMemory }
    }),
    confidence: refined.confidence,
    hits: found,
    timings,
    failures,
  }
}

/** What rows say as far as they are judged, and what is known of them. */
function readRows(
  rows: ReadonlyMap<string, JudgedMemory>,
  { rows: candidates }: CandidateRanking,
): { contents: Map<string, string>; facts: Map<string, IndexFacts> } {
  const contents = new Map<string, string>()
  const facts = new Map<string, IndexFacts>()
  for (const [id, { content }] of rows) {
    const text = content.slice(0, weights.candidates.judged)
    contents.set(id, text)
    // What only claims or links led to has no facts in the hits of the index.
    facts.set(id, candidates.factsOf(id) ?? loneFacts(text))
  }
  return { contents, facts }
}

/** Which of the rows say something of code that moved; a fault costs that, not the answer. */
async function groundBeside(
  { store, log }: Deps,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Ground> | undefined> {
  try {
    const moved = await store.tables.codeTies.movedAmong(ids)
    return new Map(moved.map(({ memory_id: id, ...ground }) => [id, ground]))
  } catch (error) {
    log.warn({ err: error }, 'ties to code not read')
    return undefined
  }
}

/** The vector of a query, or why there is none. */
export async function embedQuery(
  { embedder, log }: Deps,
  query: string,
): Promise<AskedVector & { problem?: string }> {
  const { available, state, error, provider } = embedder().status()
  const wordVectors = provider === 'static'
  if (!available) {
    if (state !== 'off') embedder().warm()
    return { wordVectors, problem: error ?? `embedding is ${state}` }
  }
  try {
    const [vector] = await embedder().embed([query], {
      kind: 'query',
      deadlineMs: weights.candidates.embedMs,
    })
    return vector ? { wordVectors, vector } : { wordVectors, problem: unreadText }
  } catch (cause) {
    if (cause instanceof EmbeddingUnavailable || cause instanceof EmbeddingRefused)
      return { wordVectors, problem: cause.message }
    log.warn({ err: cause }, 'query embedding failed')
    return { wordVectors, problem: 'embedding failed' }
  }
}
