import type { ArtifactEntryFilter } from '../../../../store/index/collections/artifacts.js'
import type { FoundChunk } from '../../../../store/tables/knowledge/source-chunks.js'
import {
  chunkType,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../../store/tables/memory/memory-filter.js'
import { chunkEntryId, chunkWithPath, placeOf } from '../../../ground/index/artifact-entries.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { mayAnswer } from '../ranking/confidence.js'
import { rankable } from '../ranking/evidence.js'
import { answersIn } from '../ranking/fuse.js'
import { asksForTime } from '../ranking/intent.js'
import { rankCandidates, stepsWithoutFacts } from '../ranking/rank-candidates.js'
import { loneFacts, refineWithContent } from '../ranking/refine-with-content.js'
import { weights } from '../ranking/weights.js'
import type { ArtifactRanking, ArtifactRow } from './candidates.js'
import { type Channels, onlyOf, wordsFor } from './channels.js'
import { isForMemories } from './filter.js'

type Deps = Pick<Daemon, 'store' | 'artifactIndex' | 'clock'>

export interface ArtifactSearch {
  query: string
  keywordQuery?: string | null | undefined
  /** Without it the search goes by words. */
  vector?: Float32Array | undefined
  /** Whether the model of this package made it. */
  wordVectors?: boolean
  channels?: Channels
  filter: ArtifactEntryFilter
  /** Load at least so many of the best. */
  limit: number
  /** Whether those that can't pass the default cut-off may be left out: no row is loaded where none could. */
  ifAnswering?: boolean
  /** Hits asked of each channel. */
  depth?: number
}

/**
 * The part of a recall's filter that sources have too. Undefined where none of them may be found: rows that are asked
 * for by what only memories have, and credentials that are confined to a project or a user.
 */
export function artifactFilter(
  boundary: ReadBoundary,
  filter: MemoryFilter,
  agents: readonly string[],
): ArtifactEntryFilter | undefined {
  const isConfined = boundary.only?.project !== undefined || boundary.only?.who !== undefined
  if (isForMemories(filter) || filter.scope || isConfined || agents.length === 0) return undefined
  const { since, until } = filter
  return {
    agents,
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  }
}

/** Searches artifacts of sources and ranks them by the steps of memories (sources.md#finding). @throws what the index or the database throws. */
export function findArtifacts(deps: Deps, search: ArtifactSearch): Promise<ArtifactRanking> {
  return begun(deps, search)()
}

/**
 * Searches artifacts of sources beside memories, of which few are given: fewer candidates are looked at then. Where they
 * turn out to be alone they may take every place, and are searched as memories are.
 * @returns what ranks them; called once, or never where there is no room for them.
 */
export function searchArtifacts(
  deps: Deps,
  search: Omit<ArtifactSearch, 'depth'>,
): (wanted: { areAlone: boolean }) => Promise<ArtifactRanking> {
  const rank = begun(deps, { ...search, depth: weights.artifacts.depth })
  return async ({ areAlone }) => {
    const ranking = await rank()
    return areAlone && ranking.rows.length > 0 ? findArtifacts(deps, search) : ranking
  }
}

function begun(deps: Deps, search: ArtifactSearch): () => Promise<ArtifactRanking> {
  const asked = deps.artifactIndex.search({
    text: wordsFor(search.channels, search),
    vector: search.vector,
    filter: search.filter,
    evidence: true,
    depth: search.depth ?? weights.candidates.depth,
  })
  asked.catch(() => undefined)
  return async () => rankArtifacts(deps, search, await asked)
}

async function rankArtifacts(
  deps: Deps,
  search: ArtifactSearch,
  indexHits: Awaited<ReturnType<Deps['artifactIndex']['search']>>,
): Promise<ArtifactRanking> {
  const hits = rankable(onlyOf(search.channels, indexHits.packed), search.wordVectors ?? false)
  const context = { query: search.query, now: deps.clock().getTime() }
  const { ranked, rows: candidates } = rankCandidates({ ...context, hits }, stepsWithoutFacts)
  const answers = answersIn(hits, candidates)
  const best = ranked.slice(0, Math.max(weights.artifacts.loaded, search.limit))
  if (search.ifAnswering && !mayAnswer(best, answers, mostLift(search.query))) return nothing
  const chunks = await loaded(deps, best, search.filter)
  const contents = new Map([...chunks].map(([id, chunk]) => [id, chunkWithPath(chunk)]))
  const facts = new Map([...contents].map(([id, text]) => [id, loneFacts(text)]))
  const rows = new Map([...chunks].map(([id, { artifact_id }]) => [id, validityOf(artifact_id)]))
  const refined = refineWithContent(best, {
    ...context,
    facts: id => facts.get(id),
    contents,
    ...answers,
    rows,
    ratings: new Map(),
    spread: true,
  })
  return {
    rows: onceEach(refined.ranked.map(row => ({ ...row, chunk: chunks.get(row.id) as FoundChunk }))),
    confidence: refined.confidence,
  }
}

const nothing: ArtifactRanking = { rows: [], confidence: { value: 0, answers: false, best: 0, least: 0 } }

/**
 * What steps that see content multiply the evidence of a chunk by at most: it is no turn of a talk, has no type that
 * stands, and is never outdated.
 */
const mostLift = (query: string): number => (asksForTime(query) ? weights.timeWords : 1)

/** Agents who read each other may have read the same place: what it says takes one row, the best. */
function onceEach(rows: readonly ArtifactRow[]): ArtifactRow[] {
  const seen = new Set<string>()
  return rows.filter(({ chunk: { source_kind, path, text } }) => {
    const said = JSON.stringify([source_kind, path, text])
    return !seen.has(said) && seen.add(said)
  })
}

/** One statement that authorises and loads: of what it leaves out nothing leaves the database. */
async function loaded(
  { store }: Deps,
  ranked: readonly { id: string }[],
  { agents }: ArtifactEntryFilter,
): Promise<Map<string, FoundChunk>> {
  const rows = await store.tables.sourceChunks.found(
    ranked.map(({ id }) => placeOf(id)),
    agents,
  )
  return new Map(rows.map(row => [chunkEntryId(row), row]))
}

/** An artifact is what it is now: nothing supersedes it, and it does not expire. */
function validityOf(artifactId: string) {
  return {
    type: chunkType,
    source_id: artifactId,
    superseded_by: null,
    valid_from: null,
    valid_until: null,
  }
}
