import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import type { IndexHits } from '../../../store/index/memory-index.js'
import type { RecallableMemory } from '../../../store/tables/memory/memories.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { currentnessFactors } from './ranking/currentness.js'
import type { Ranked } from './ranking/evidence.js'
import { rankCandidates } from './ranking/rank-candidates.js'
import { ratingFactors } from './ranking/ratings.js'
import { refineWithContent } from './ranking/refine-with-content.js'
import type { StepReport } from './ranking/run-steps.js'
import { type Weighing, weigh } from './ranking/weigh.js'
import { toIndexFilter } from './recall-filter.js'
import { timed } from './stages.js'

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'log'>

/** Candidates asked of each channel: enough for every evidence step to reorder the best. */
const channelDepth = 150
/** Rows that are loaded and looked at before the limit cuts. */
const minLoaded = 40
/** No filter of the index has seen the rows beside its hits: of more candidates than should be enough, enough pass. */
const spareShare = 1.25
const maxGrowth = 4
/** A query waits this long for its embedding, then goes on by keyword. */
const queryDeadlineMs = 2000

/** An authorised row with its place in the ranking. */
export interface Found extends Ranked {
  row: RecallableMemory
}

export interface Search {
  query: string
  /** Words for the keyword and hint channels when they are not those of the query. */
  keywordQuery?: string | null | undefined
  boundary: ReadBoundary
  filter: MemoryFilter
  /** At least so many of the best rows are loaded, if there are. */
  limit: number
  /** What the session said of rows that it was shown, -1 to 1 by memory id. */
  ratings?: ReadonlyMap<string, number>
}

export interface SearchResult extends StepReport {
  /** Best first, before any cut-off. */
  found: Found[]
  hits: IndexHits
  /** Why the vector channel did not take part, when it did not. */
  embedding: string | undefined
}

/**
 * Candidates by id from every channel -> evidence -> one authorisation in SQL -> only then content -> content
 * evidence -> what is known of the rows (spec 1, 1.3.5 to 1.3.9).
 */
export async function search(deps: Deps, request: Search): Promise<SearchResult> {
  const timings: Record<string, number> = {}
  const { vector, problem } = await timed(timings, 'embed', () => embedQuery(deps, request.query))
  const hits = await timed(timings, 'index', () =>
    deps.index.search({
      text: request.keywordQuery?.trim() || request.query,
      vector,
      filter: toIndexFilter(request.boundary, request.filter),
      depth: channelDepth,
    }),
  )
  const now = deps.clock()
  const context = { query: request.query, facts: (id: string) => hits.facts.get(id) }
  const ranking = rankCandidates({ ...context, hits, now: now.getTime() })
  const rows = await timed(timings, 'authorize', () => authorized(deps, request, ranking.ranked))
  const contents = new Map([...rows].map(([id, row]) => [id, row.content]))
  const refined = refineWithContent(ranking.ranked, { ...context, contents })
  const weighed = weigh(refined, weighings(request, rows, now.toISOString()))
  const failures = [...ranking.failures, ...weighed.failures]
  for (const failure of failures) deps.log.warn(failure, 'recall step skipped')
  return {
    found: weighed.ranked.map(ranked => ({ ...ranked, row: rows.get(ranked.id) as RecallableMemory })),
    hits,
    timings: { ...timings, ...hits.timings, ...ranking.timings, ...weighed.timings },
    failures,
    embedding: problem,
  }
}

function weighings(
  { ratings }: Search,
  rows: ReadonlyMap<string, RecallableMemory>,
  now: string,
): readonly Weighing[] {
  const byEvidence = (ranked: readonly Ranked[]) => new Map(ranked.map(({ id, evidence }) => [id, evidence]))
  return [
    ...(ratings && ratings.size > 0 ? [{ name: 'feedback', run: () => ratingFactors(ratings) }] : []),
    { name: 'currentness', run: ranked => currentnessFactors(rows, byEvidence(ranked), now) },
  ]
}

async function embedQuery(
  { embedder, log }: Deps,
  query: string,
): Promise<{ vector?: Float32Array; problem?: string }> {
  const { available, state, error } = embedder().status()
  if (!available) {
    if (state !== 'off') embedder().warm()
    return { problem: error ?? `embedding is ${state}` }
  }
  try {
    const [vector] = await embedder().embed([query], { kind: 'query', deadlineMs: queryDeadlineMs })
    return vector ? { vector } : { problem: 'no vector' }
  } catch (cause) {
    if (cause instanceof EmbeddingUnavailable || cause instanceof EmbeddingRefused)
      return { problem: cause.message }
    log.warn({ err: cause }, 'query embedding failed')
    return { problem: 'embedding failed' }
  }
}

/**
 * The best candidates that the reader may see, best first. One statement authorises and loads: of the others nothing
 * leaves the database (spec 1, 1.3.6).
 */
async function authorized(
  { store }: Deps,
  { boundary, filter, limit }: Search,
  ranked: readonly Ranked[],
): Promise<Map<string, RecallableMemory>> {
  const wanted = Math.max(minLoaded, limit)
  const best = new Map<string, RecallableMemory>()
  // The index has narrowed already: as many as are wanted nearly always pass.
  let asked = wanted
  for (let start = 0; best.size < wanted && start < ranked.length; ) {
    const ids = ranked.slice(start, start + asked).map(({ id }) => id)
    const rows = await store.tables.memories.loadRecallable(ids, boundary, filter)
    const allowed = new Map(rows.map(row => [row.id, row]))
    for (const id of ids) {
      const row = allowed.get(id)
      if (row && best.size < wanted) best.set(id, row)
    }
    start += ids.length
    const perRow = start / Math.max(1, best.size)
    asked = Math.min(maxGrowth * asked, Math.ceil(spareShare * perRow * (wanted - best.size)))
  }
  return best
}
