import type { ArtifactEntryFilter } from '../../../../store/index/collections.js'
import type { PassageRow } from '../../../../store/tables/knowledge/source-chunks.js'
import {
  chunkType,
  type MemoryFilter,
  type ReadBoundary,
} from '../../../../store/tables/memory/memory-filter.js'
import { chunkEntryId, chunkWithPath, parseChunkEntryId } from '../../../ground/index/artifact-entries.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { mayAnswer } from '../ranking/confidence.js'
import { asksForTime } from '../ranking/dates.js'
import { type ModelKind, rankable } from '../ranking/evidence.js'
import { answersIn } from '../ranking/fuse.js'
import {
  factsWithoutIndex,
  rankCandidates,
  refineWithContent,
  stepsWithoutFacts,
} from '../ranking/rank-candidates.js'
import { weights } from '../ranking/weights.js'
import type { ArtifactRanking, ArtifactRow } from './candidates.js'
import { type Channels, isMemoriesOnly, keepEnabledChannels, wordsFor } from './filter.js'

type Deps = Pick<Daemon, 'store' | 'artifactIndex' | 'clock'>

export interface ArtifactSearch {
  query: string
  keywordQuery?: string | null | undefined
  /** The search uses only words without it. */
  vector?: Float32Array | undefined
  /** The model of the vector; `other` when absent. */
  model?: ModelKind
  channels?: Channels
  filter: ArtifactEntryFilter
  /** Load at least this many of the best rows. */
  limit: number
  /** Load no rows when none could pass the default cut-off. */
  ifAnswering?: boolean
  /** Hits requested from each channel. */
  depth?: number
}

/**
 * The part of a recall's filter that applies to sources. Undefined when no source may match: for filters that
 * only memories have, and for credentials limited to a project or a user.
 */
export function artifactFilter(
  boundary: ReadBoundary,
  filter: MemoryFilter,
  agents: readonly string[],
): ArtifactEntryFilter | undefined {
  const isConfined = boundary.only?.project !== undefined || boundary.only?.who !== undefined
  if (isMemoriesOnly(filter) || filter.scope || isConfined || agents.length === 0) return undefined
  const { since, until } = filter
  return {
    agents,
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
  }
}

/**
 * Searches artifacts of sources and ranks them with the steps of memories (sources.md#finding). Errors of the
 * index and the database are thrown.
 */
export function findArtifacts(deps: Deps, search: ArtifactSearch): Promise<ArtifactRanking> {
  return startSearch(deps, search)()
}

/**
 * Searches artifacts beside memories with fewer candidates, since few are returned. When no memory is found,
 * they may fill every place and are searched again at full depth.
 * @returns a function that ranks them, called at most once
 */
export function searchArtifacts(
  deps: Deps,
  search: Omit<ArtifactSearch, 'depth'>,
): (wanted: { areAlone: boolean }) => Promise<ArtifactRanking> {
  const rank = startSearch(deps, { ...search, depth: weights.artifacts.depth })
  return async ({ areAlone }) => {
    const ranking = await rank()
    return areAlone && ranking.rows.length > 0 ? findArtifacts(deps, search) : ranking
  }
}

function startSearch(deps: Deps, search: ArtifactSearch): () => Promise<ArtifactRanking> {
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
  const hits = rankable(keepEnabledChannels(search.channels, indexHits.packed), search.model ?? 'other')
  const context = { query: search.query, now: deps.clock().getTime() }
  const { ranked, rows: candidates } = rankCandidates({ ...context, hits }, stepsWithoutFacts)
  const answers = answersIn(hits, candidates)
  const best = ranked.slice(0, Math.max(weights.artifacts.loaded, search.limit))
  if (search.ifAnswering && !mayAnswer(best, answers, mostLift(search.query))) return emptyRanking
  const chunks = await loadPassages(deps, best, search.filter)
  const contents = new Map([...chunks].map(([id, chunk]) => [id, chunkWithPath(chunk)]))
  const facts = new Map([...contents].map(([id, text]) => [id, factsWithoutIndex(text)]))
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
    rows: dropRepeats(refined.ranked.map(row => ({ ...row, chunk: chunks.get(row.id) as PassageRow }))),
    confidence: refined.confidence,
  }
}

const emptyRanking: ArtifactRanking = {
  rows: [],
  confidence: { value: 0, answers: false, best: 0, least: 0 },
}

/**
 * Maximum factor of steps that see content: a chunk is not a conversation turn, has no guiding type and is
 * never outdated.
 */
const mostLift = (query: string): number => (asksForTime(query) ? weights.timeWords : 1)

/** Keeps only the best of identical chunks: agents that read each other may have read the same source. */
function dropRepeats(rows: readonly ArtifactRow[]): ArtifactRow[] {
  const seen = new Set<string>()
  return rows.filter(({ chunk: { source_kind, path, text } }) => {
    const said = JSON.stringify([source_kind, path, text])
    return !seen.has(said) && seen.add(said)
  })
}

/** Authorises and loads in one statement, so unauthorised content never leaves the database. */
async function loadPassages(
  { store }: Deps,
  ranked: readonly { id: string }[],
  { agents }: ArtifactEntryFilter,
): Promise<Map<string, PassageRow>> {
  const rows = await store.tables.sourceChunks.found(
    ranked.map(({ id }) => parseChunkEntryId(id)),
    agents,
  )
  return new Map(rows.map(row => [chunkEntryId(row), row]))
}

/** Artifacts are always current: they are neither superseded nor expire. */
function validityOf(artifactId: string) {
  return {
    type: chunkType,
    source_id: artifactId,
    superseded_by: null,
    valid_from: null,
    valid_until: null,
  }
}
