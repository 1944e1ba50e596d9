import { turnsAfter } from '../../../../lib/concurrency/every-few-ms.js'
import type { FoundHits } from '../../../../store/index/packed/packed-hits.js'
import type { IndexFacts } from '../../../../store/index/search.js'
import type { RecallableMemory } from '../../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Projects } from '../../../ground/projects/projects.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { CodeDrift } from '../ranking/currentness.js'
import { type Candidate, rankable } from '../ranking/evidence.js'
import { answersIn } from '../ranking/fuse.js'
import {
  type CandidateRanking,
  factsWithoutIndex,
  rankCandidates,
  refineWithContent,
} from '../ranking/rank-candidates.js'
import type { RankedRows, StepReport } from '../ranking/run-steps.js'
import { weights } from '../ranking/weights.js'
import type { CandidateSearch, MemoryRanking } from './candidates.js'
import type { QueryVector } from './embed-query.js'
import { keepEnabledChannels, toIndexFilter, wordsFor } from './filter.js'
import type { QueryPaths } from './find-paths.js'
import { addTimings, optional, timed } from './optional-steps.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'projects' | 'clock' | 'log'>

export interface RankingRequest extends QueryVector {
  search: CandidateSearch
  /** The filter of the search, or a narrower one. */
  filter: MemoryFilter
  /**
   * Reads the graph once. Call it after starting the index search, which may run in a thread at the same
   * time.
   */
  paths: () => Promise<QueryPaths | undefined>
  /** For chunks beside memories fewer candidates are examined, and the number per document is limited. */
  rows: 'all' | 'chunks'
}

/** A ranking with its index hits. */
export interface IndexRanking extends StepReport, MemoryRanking {
  hits: FoundHits
}

/** Searches the index, ranks the hits by id, authorises and loads the best, and ranks these by content. */
export async function rankMemories(deps: Deps, request: RankingRequest): Promise<IndexRanking> {
  const { search, vector, filter } = request
  const spread = request.rows === 'chunks'
  const timings: Record<string, number> = {}
  const searched = timed(timings, 'index', () =>
    deps.index.search({
      text: wordsFor(search.channels, search),
      vector,
      filter: toIndexFilter(search.boundary, filter, deps.projects),
      evidence: true,
      depth: spread ? weights.document.depth : weights.candidates.depth,
    }),
  )
  const [indexHits, graph] = await Promise.all([searched, request.paths()])
  const hits = rankable(keepEnabledChannels(search.channels, indexHits.packed), request.model)
  const { query } = search
  const now = deps.clock().getTime()
  const ranking = rankCandidates({ query, now, hits, graph })
  const unjudged: StepReport['failures'] = []
  const { best, rows, judged } = await timed(timings, 'authorize', () =>
    authorizedRows(
      deps,
      {
        ...{ boundary: search.boundary, filter, limit: search.limit, rows: request.rows },
        judge: ids => judgements(deps, ids, unjudged),
      },
      ranking.ranked,
    ),
  )
  await turnsAfter(rows.values())
  const { contents, facts } = readRows(rows, ranking)
  const answers = answersIn(hits, ranking.rows)
  const refined = refineWithContent(best, {
    query,
    now,
    facts: id => facts.get(id),
    contents,
    ...answers,
    rows,
    ratings: search.ratings ?? new Map(),
    judged,
    ownProject: filter.orNoProject ? idsOfProject(rows, filter.project, deps.projects) : undefined,
    spread,
    ground: search.code ? await groundBeside(deps, [...rows.keys()]) : undefined,
  })
  const failures = [...ranking.failures, ...refined.failures]
  for (const failure of failures) deps.log.warn(failure, 'recall step skipped')
  failures.push(...unjudged.slice(0, 1))
  for (const steps of [indexHits.timings, ranking.timings, refined.timings]) addTimings(timings, steps)
  return {
    rows: refined.ranked.map(({ id, evidence, own, contributions, score }) => {
      return { id, evidence, own, contributions, score, row: rows.get(id) as RecallableMemory }
    }),
    confidence: refined.confidence,
    hits: indexHits,
    timings,
    failures,
  }
}

/** Returns people's judgements; an error leaves them out and keeps the answer. */
function judgements(
  deps: Pick<Deps, 'store' | 'log'>,
  ids: readonly string[],
  failures: StepReport['failures'],
): Promise<ReadonlyMap<string, number> | undefined> {
  return optional(deps, { timings: {}, failures }, 'judgement', () =>
    deps.store.tables.recallLedger.judgedAmong(ids),
  )
}

/** Returns the rows of the project that the caller works in, when rows of no project are searched too. */
function idsOfProject(
  rows: ReadonlyMap<string, RecallableMemory>,
  project: string | undefined,
  projects: Pick<Projects, 'keysOf'>,
): ReadonlySet<string> {
  const keys = new Set(project === undefined ? [] : projects.keysOf(project))
  return new Set(
    [...rows].filter(([, row]) => row.project !== null && keys.has(row.project)).map(([id]) => id),
  )
}

/** Content of each row up to the limit that the ranking reads, and facts from the index. */
function readRows(
  rows: ReadonlyMap<string, RecallableMemory>,
  { rows: candidates }: CandidateRanking,
): { contents: Map<string, string>; facts: Map<string, IndexFacts> } {
  const contents = new Map<string, string>()
  const facts = new Map<string, IndexFacts>()
  for (const [id, { content }] of rows) {
    const text = content.slice(0, weights.candidates.judged)
    contents.set(id, text)
    // A row found only through claims or links has no facts in the hits.
    facts.set(id, candidates.factsOf(id) ?? factsWithoutIndex(text))
  }
  return { contents, facts }
}

/** Finds rows with changed code references; an error leaves this out and keeps the answer. */
async function groundBeside(
  { store, log }: Pick<Daemon, 'store' | 'log'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CodeDrift> | undefined> {
  try {
    const moved = await store.tables.codeTies.movedAmong(ids)
    return new Map(moved.map(({ memory_id: id, ...ground }) => [id, ground]))
  } catch (error) {
    log.warn({ err: error }, 'ties to code not read')
    return undefined
  }
}

/** Rows that may be returned, and the minimum to load. */
interface LoadRequest {
  boundary: ReadBoundary
  filter: MemoryFilter
  limit: number
  /** For chunks beside memories, the number per document is limited. */
  rows: 'all' | 'chunks'
  /** Reads people's judgements beside the rows. */
  judge(ids: readonly string[]): Promise<ReadonlyMap<string, number> | undefined>
}

/** Candidates that the reader may see. */
interface AuthorizedRows {
  /** Best first. */
  best: Candidate[]
  rows: Map<string, RecallableMemory>
  judged: Map<string, number>
}

/**
 * Returns the best candidates that the reader may see. One statement authorises and loads them, so no other
 * content leaves the database (recall.md 1.3.6).
 */
async function authorizedRows(
  { store, clock }: Pick<Daemon, 'store' | 'clock'>,
  { boundary, filter, limit, rows: kind, judge }: LoadRequest,
  ranked: RankedRows,
): Promise<AuthorizedRows> {
  const wanted = Math.max(weights.candidates.loaded, limit)
  const best: Candidate[] = []
  const rows = new Map<string, RecallableMemory>()
  const judged = new Map<string, number>()
  const now = clock().toISOString()
  const hasRoom = kind === 'chunks' ? roomForChunks() : () => true
  // The index has filtered already and nearly all rows pass, so the first round requests just the number
  // needed.
  let asked = wanted
  for (let start = 0; rows.size < wanted && start < ranked.length; ) {
    const candidates = ranked.slice(start, start + asked)
    const ids = candidates.map(({ id }) => id)
    const [loaded, ratings] = await Promise.all([
      store.tables.memories.loadRecallable(ids, boundary, filter),
      judge(ids),
    ])
    const allowed = new Map(loaded.filter(row => !hasExpired(row, now)).map(row => [row.id, row]))
    for (const candidate of candidates) {
      const row = allowed.get(candidate.id)
      if (!row || rows.size >= wanted || !hasRoom(row)) continue
      best.push(candidate)
      rows.set(candidate.id, row)
      const rating = ratings?.get(candidate.id)
      if (rating !== undefined) judged.set(candidate.id, rating)
    }
    start += candidates.length
    const perRow = start / Math.max(1, rows.size)
    asked = Math.min(
      weights.candidates.maxGrowth * asked,
      Math.ceil(weights.candidates.spareShare * perRow * (wanted - rows.size)),
    )
  }
  return { best, rows, judged }
}

/** True for a memory that recall leaves out by its time (rules.md 1.4.1). */
function hasExpired({ expires_at, pinned }: RecallableMemory, now: string): boolean {
  return expires_at !== null && expires_at <= now && pinned === 0
}

/** Leaves room for other documents beside one with hundreds of chunks. */
function roomForChunks(): (row: RecallableMemory) => boolean {
  const loaded = new Map<string, number>()
  return ({ source_id: documentId }) => {
    if (documentId === null) return true
    const count = (loaded.get(documentId) ?? 0) + 1
    loaded.set(documentId, count)
    return count <= weights.document.loaded
  }
}
