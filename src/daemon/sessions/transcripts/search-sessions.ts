import type {
  SessionHit,
  SessionSearchBody,
  SessionSearchReply,
} from '../../../contract/sessions/transcripts.js'
import type { ChannelHit } from '../../../store/index/search.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { type ChunkPassage, loadChunk } from '../../ground/index/transcript-entries.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { coverageOf, excerptAround } from '../../ground/text/word-coverage.js'
import { agentOf, assertInScope } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { mayRead, parentKeysOf } from './session-transcript.js'

/** Chunks searched per requested session: the best ones often belong to one conversation. */
const depthPerHit = 50

type Deps = Pick<Daemon, 'store' | 'projects' | 'transcriptIndex'>

/** Sessions that a search covers. */
interface SearchScope {
  agentId: string
  /** Keys of one project; null for no project, undefined for every session. */
  projects: readonly string[] | null | undefined
  /** Adds the sessions of no project. */
  orNoProject: boolean
  /** Only these sessions, unless empty. */
  only: readonly string[]
  without: string | undefined
}

/** A search for sessions, with what only the search over all kinds narrows by. */
interface SessionSearch extends Omit<SessionSearchBody, 'project'> {
  /** A canonical key; null for sessions of no project. */
  project?: string | null | undefined
  orNoProject?: boolean
  harness?: string | null | undefined
  /** Times of the last capture, ISO 8601, inclusive. */
  since?: string | null | undefined
  until?: string | null | undefined
}

/** The best passage of a session. */
export interface SessionPassage {
  transcript: TranscriptRow
  /** Position of the turn that contains most words of the query. */
  position: number
  excerpt: string
}

/**
 * Finds sessions whose conversation answers a query best, each with its best passage (rules.md 4.11): one
 * session, the parent of a sub-agent's session, or all of the agent (and project) except the current one.
 * @throws AppError `scope_violation` for another agent or project than the credential's.
 */
export async function searchSessions(
  deps: Deps,
  caller: Caller,
  body: SessionSearchBody,
): Promise<SessionSearchReply> {
  const found = await findSessions(deps, caller, { ...body, project: body.project ?? undefined })
  const hits: SessionHit[] = found.map(({ transcript, excerpt, position }, index) => ({
    sessionKey: transcript.session_key,
    project: transcript.project,
    updatedAt: transcript.captured_at,
    excerpt,
    position,
    rank: index + 1,
  }))
  return { query: body.query, hits, count: hits.length }
}

/** The same sessions as rows, for the search over all kinds. */
export async function findSessions(
  deps: Deps,
  caller: Caller,
  search: SessionSearch,
): Promise<SessionPassage[]> {
  const { query, limit } = search
  const reach = await searchScopeOf(deps, caller, search)
  const depth = reach.only.length > 0 ? deepest : limit * depthPerHit
  const asked = { reach, search }
  const first = await candidates(deps, caller, asked, depth)
  // If all best hits belong to the excluded current session, searches deeper once.
  const best =
    first.best.length === 0 && first.isCut && depth < deepest
      ? (await candidates(deps, caller, asked, deepest)).best
      : first.best
  const found: SessionPassage[] = []
  for (const { transcript, chunk } of best) {
    if (found.length === limit) break
    const passage = await clean(deps, transcript, chunk)
    if (!passage) continue
    found.push({
      transcript,
      position: bestTurn(passage, query),
      excerpt: excerptAround(passage.text, query),
    })
  }
  return found
}

/** Depth of a search whose best chunks may all be excluded. */
const deepest = 20_000

async function searchScopeOf(
  { store, projects }: Deps,
  caller: Caller,
  search: SessionSearch,
): Promise<SearchScope> {
  const agentId = agentOf(caller, search) ?? defaultAgent
  const { scope } = caller.access
  assertInScope(scope, 'project', search.project)
  const current = search.currentSessionKey ? sessionKeyOf(search.currentSessionKey) : undefined
  const project = search.project === undefined ? scope.project : search.project
  const scoped = {
    agentId,
    projects: typeof project === 'string' ? projects.keysOf(project) : project,
    orNoProject: search.orNoProject ?? false,
  }
  if (search.sessionKey) return { ...scoped, only: [sessionKeyOf(search.sessionKey)], without: undefined }
  const encoded = parentKeysOf(current ?? '')
  // A fork has a parent too, but only a sub-agent's key shows that it runs in it.
  const row =
    current && encoded.length > 0
      ? await store.tables.sessions.find({ agentId, sessionKey: current })
      : undefined
  return { ...scoped, only: row?.parent_key ? [row.parent_key] : encoded, without: current }
}

interface ScopedSearch {
  reach: SearchScope
  search: SessionSearch
}

/** Returns the sessions among the best chunks, and whether there may be more chunks. */
async function candidates(
  deps: Deps,
  caller: Caller,
  asked: ScopedSearch,
  depth: number,
): Promise<{ best: Candidate[]; isCut: boolean }> {
  const { agentId, projects, orNoProject } = asked.reach
  const { keyword } = await deps.transcriptIndex.search({
    text: asked.search.query,
    filter: {
      agentId,
      ...(projects && { projects }),
      ...((projects === null || (projects && orNoProject)) && { orNoProject: true as const }),
    },
    depth,
  })
  return { best: await bestOfEach(deps, caller, asked, keyword), isCut: keyword.length >= depth }
}

interface Candidate {
  transcript: TranscriptRow
  chunk: number
}

/** The best chunk of each allowed session, best first. */
async function bestOfEach(
  { store }: Deps,
  caller: Caller,
  { reach, search: { harness, since, until } }: ScopedSearch,
  hits: readonly ChannelHit[],
): Promise<Candidate[]> {
  const chunks = new Map<string, number>()
  for (const { id } of hits) {
    const [bodyId = '', chunk] = id.split('#')
    if (!chunks.has(bodyId)) chunks.set(bodyId, Number(chunk))
  }
  const { agentId, only, without } = reach
  const rows = await store.tables.transcripts.byBodies([...chunks.keys()])
  const allowed = new Map(
    rows
      .filter(row => row.agent_id === agentId && isInProject(reach, row))
      .filter(row => (only.length > 0 ? only.includes(row.session_key) : row.session_key !== without))
      .filter(row => !harness || row.harness === harness)
      .filter(({ captured_at: at }) => (!since || at >= since) && (!until || at <= until))
      .filter(row => mayRead(caller, row))
      .map(row => [row.body_id, row]),
  )
  return [...chunks].flatMap(([bodyId, chunk]) => {
    const transcript = allowed.get(bodyId)
    return transcript ? [{ transcript, chunk }] : []
  })
}

function isInProject(
  { projects, orNoProject }: SearchScope,
  { project }: Pick<TranscriptRow, 'project'>,
): boolean {
  if (projects === undefined) return true
  return project === null ? projects === null || orNoProject : (projects?.includes(project) ?? false)
}

/** A chunk that still exists and is clean. */
async function clean(
  { store }: Deps,
  { body_id }: TranscriptRow,
  chunk: number,
): Promise<ChunkPassage | undefined> {
  const [row]: ChunkToIndex[] = await store.tables.transcriptChunks.of(
    body_id,
    { from: chunk, to: chunk + 1 },
    1,
  )
  return row?.alive === 1 ? loadChunk(store, row) : undefined
}

/** The turn of a passage that contains most words of a query; the first of equal ones. */
function bestTurn({ turns }: ChunkPassage, query: string): number {
  const covers = coverageOf(query)
  const shares = turns.map(({ text }) => covers(text))
  return turns[shares.indexOf(Math.max(...shares))]?.position ?? 0
}
