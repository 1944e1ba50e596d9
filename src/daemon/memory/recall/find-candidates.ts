import { turnsAfter } from '../../../lib/every-few-ms.js'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import type { FoundHits } from '../../../store/index/packed/packed-hits.js'
import type { RecallableMemory } from '../../../store/tables/memory/memories.js'
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
import { optional, timed } from './optional-steps.js'
import type { Confidence } from './ranking/confidence.js'
import type { Ranked, RankedRow } from './ranking/evidence.js'
import { answersIn } from './ranking/fuse.js'
import type { Ground } from './ranking/ground.js'
import { loneFacts } from './ranking/lone-facts.js'
import { rankCandidates } from './ranking/rank-candidates.js'
import type { RankedRows } from './ranking/ranked-rows.js'
import { refineWithContent } from './ranking/refine-with-content.js'
import type { StepReport } from './ranking/run-steps.js'
import { weights } from './ranking/weights.js'
import { toIndexFilter } from './recall-filter.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'artifactIndex' | 'embedder' | 'clock' | 'log'>

/** An authorised row with its place in the ranking. */
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
  ratings?: ReadonlyMap<string, number>
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
  found: Found[]
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
  const found = await memoriesAndDocuments(deps, { ...request, vector, wordVectors, paths })
  return {
    ...found,
    artifacts,
    paths: await paths(),
    timings: { ...timings, ...found.timings },
    failures: [...failures, ...found.failures],
    embedding: problem,
  }
}

async function memoriesAndDocuments(
  deps: Deps,
  request: Omit<RankingRequest, 'rows'>,
): Promise<Omit<Candidates, 'embedding' | 'artifacts' | 'paths'>> {
  const { filter } = request
  if (!(await mayBeBoth(deps, filter)))
    return { ...(await rankingOf(deps, { ...request, rows: 'all' })), documents: undefined }
  // At the same time: a large index lives in a thread, which searches for the one while the other is ranked here.
  const [memories, chunks] = await Promise.all([
    rankingOf(deps, { ...request, filter: { ...filter, chunks: false }, rows: 'all' }),
    rankingOf(deps, { ...request, filter: { ...filter, types: [chunkType] }, rows: 'chunks' }),
  ])
  const spent = Object.values(chunks.timings).reduce((sum, ms) => sum + ms, 0)
  return {
    ...memories,
    documents: { found: chunks.found, confidence: chunks.confidence },
    timings: { ...memories.timings, documents: spent },
    failures: [...memories.failures, ...chunks.failures],
  }
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

interface RankingRequest extends CandidateSearch, AskedVector {
  /** Looks up what is known once; asked when the index has its question, since a thread answers that one. */
  paths: () => Promise<FoundPaths | undefined>
  /** Of chunks beside memories fewer are looked at, and those of one document don't take all places. */
  rows: 'all' | 'chunks'
}

async function rankingOf(
  deps: Deps,
  request: RankingRequest,
): Promise<Omit<Candidates, 'documents' | 'embedding' | 'artifacts' | 'paths'>> {
  const { vector } = request
  const spread = request.rows === 'chunks'
  const timings: Record<string, number> = {}
  const searched = timed(timings, 'index', () =>
    deps.index.search({
      text: wordsFor(request.channels, request),
      vector,
      filter: toIndexFilter(request.boundary, request.filter),
      evidence: true,
      depth: spread ? weights.document.depth : weights.candidates.depth,
    }),
  )
  const [found, graph] = await Promise.all([searched, request.paths()])
  const hits = { ...onlyOf(request.channels, found.packed), wordVectors: request.wordVectors }
  const context = { query: request.query, now: deps.clock().getTime() }
  const ranking = rankCandidates({ ...context, hits, graph })
  const { best, rows } = await timed(timings, 'authorize', () => authorized(deps, request, ranking.ranked))
  await turnsAfter(rows.values())
  const contents = new Map(
    [...rows].map(([id, { content }]) => [id, content.slice(0, weights.candidates.judged)]),
  )
  const facts = new Map(
    // What only claims or links led to has no facts in the hits of the index.
    [...contents].map(([id, text]) => [id, ranking.rows.factsOf(id) ?? loneFacts(text)]),
  )
  const ratings = request.ratings ?? new Map()
  const ground = request.code ? await groundBeside(deps, [...rows.keys()]) : undefined
  const refined = refineWithContent(best, {
    ...context,
    facts: id => facts.get(id),
    contents,
    ...answersIn(hits, ranking.rows),
    rows,
    ratings,
    spread,
    ...(ground && { ground }),
  })
  const failures = [...ranking.failures, ...refined.failures]
  for (const failure of failures) deps.log.warn(failure, 'recall step skipped')
  return {
    found: refined.ranked.map(ranked => ({ ...ranked, row: rows.get(ranked.id) as RecallableMemory })),
    confidence: refined.confidence,
    hits: found,
    timings: { ...timings, ...hits.timings, ...ranking.timings, ...refined.timings },
    failures,
  }
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
    return vector ? { wordVectors, vector } : { wordVectors, problem: 'no vector' }
  } catch (cause) {
    if (cause instanceof EmbeddingUnavailable || cause instanceof EmbeddingRefused)
      return { wordVectors, problem: cause.message }
    log.warn({ err: cause }, 'query embedding failed')
    return { wordVectors, problem: 'embedding failed' }
  }
}

/**
 * The best candidates that the reader may see, best first. One statement authorises and loads: of the others nothing
 * leaves the database (recall.md 1.3.6).
 */
async function authorized(
  { store }: Deps,
  { boundary, filter, limit, rows: kind }: RankingRequest,
  ranked: RankedRows,
): Promise<{ best: Ranked[]; rows: Map<string, RecallableMemory> }> {
  const wanted = Math.max(weights.candidates.loaded, limit)
  const best: Ranked[] = []
  const rows = new Map<string, RecallableMemory>()
  const hasRoom = kind === 'chunks' ? roomForChunks() : () => true
  // The index has filtered already, so nearly all pass: ask for as many as are wanted first.
  let asked = wanted
  for (let start = 0; rows.size < wanted && start < ranked.length; ) {
    const some = ranked.slice(start, start + asked)
    const ids = some.map(({ id }) => id)
    const loaded = await store.tables.memories.loadRecallable(ids, boundary, filter)
    const allowed = new Map(loaded.map(row => [row.id, row]))
    for (const one of some) {
      const row = allowed.get(one.id)
      if (!row || rows.size >= wanted || !hasRoom(row)) continue
      best.push(one)
      rows.set(one.id, row)
    }
    start += some.length
    const perRow = start / Math.max(1, rows.size)
    asked = Math.min(
      weights.candidates.maxGrowth * asked,
      Math.ceil(weights.candidates.spareShare * perRow * (wanted - rows.size)),
    )
  }
  return { best, rows }
}

/** A document of hundreds of chunks leaves places to others. */
function roomForChunks(): (row: RecallableMemory) => boolean {
  const loaded = new Map<string, number>()
  return ({ source_id: documentId }) => {
    if (documentId === null) return true
    const count = (loaded.get(documentId) ?? 0) + 1
    loaded.set(documentId, count)
    return count <= weights.document.loaded
  }
}
