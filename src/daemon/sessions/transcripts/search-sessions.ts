import type {
  SessionHit,
  SessionSearchBody,
  SessionSearchReply,
} from '../../../contract/sessions/transcripts.js'
import type { ChannelHit } from '../../../store/index/search.js'
import { Analyzer } from '../../../store/index/words/analysis/analyzer.js'
import type { ChunkToIndex } from '../../../store/tables/sessions/transcript-chunks.js'
import type { TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import { loadChunk } from '../../ground/index/transcript-entries.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { parentKeysOf } from './parent-keys.js'
import { mayRead } from './session-transcript.js'

/** Chunks searched per requested session: the best ones often belong to one conversation. */
const depthPerHit = 50

type Deps = Pick<Daemon, 'store' | 'projects' | 'transcriptIndex'>

/** Sessions that a search covers. */
interface SearchScope {
  agentId: string
  project: string | undefined
  /** Only these sessions, unless empty. */
  only: readonly string[]
  without: string | undefined
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
  const { query, limit } = body
  const reach = await searchScopeOf(deps, caller, body)
  const depth = reach.only.length > 0 ? deepest : limit * depthPerHit
  const first = await candidates(deps, caller, reach, { query, depth })
  // If all best hits belong to the excluded current session, searches deeper once.
  const best =
    first.best.length === 0 && first.isCut && depth < deepest
      ? (await candidates(deps, caller, reach, { query, depth: deepest })).best
      : first.best
  const hits: SessionHit[] = []
  for (const { transcript, chunk } of best) {
    if (hits.length === limit) break
    const found = await clean(deps, transcript, chunk)
    if (found === undefined) continue
    hits.push({
      sessionKey: transcript.session_key,
      project: transcript.project,
      updatedAt: transcript.captured_at,
      excerpt: excerptAround(found, query),
      rank: hits.length + 1,
    })
  }
  return { query, hits, count: hits.length }
}

/** Depth of a search whose best chunks may all be excluded. */
const deepest = 20_000

async function searchScopeOf({ store }: Deps, caller: Caller, body: SessionSearchBody): Promise<SearchScope> {
  const agentId = agentOf(caller, body) ?? defaultAgent
  const { scope } = caller.access
  assertInScope(scope, 'project', body.project)
  const current = body.currentSessionKey ? sessionKeyOf(body.currentSessionKey) : undefined
  const project = body.project ?? scope.project
  if (body.sessionKey) return { agentId, project, only: [sessionKeyOf(body.sessionKey)], without: undefined }
  const encoded = parentKeysOf(current ?? '')
  // A fork has a parent too, but only a sub-agent's key shows that it runs in it.
  const row =
    current && encoded.length > 0
      ? await store.tables.sessions.find({ agentId, sessionKey: current })
      : undefined
  return { agentId, project, only: row?.parent_key ? [row.parent_key] : encoded, without: current }
}

/** Returns the sessions among the best chunks, and whether there may be more chunks. */
async function candidates(
  deps: Deps,
  caller: Caller,
  reach: SearchScope,
  { query, depth }: { query: string; depth: number },
): Promise<{ best: Candidate[]; isCut: boolean }> {
  const { agentId, project } = reach
  const { keyword } = await deps.transcriptIndex.search({
    text: query,
    filter: { agentId, ...(project !== undefined && { projects: deps.projects.keysOf(project) }) },
    depth,
  })
  return { best: await bestOfEach(deps, caller, reach, keyword), isCut: keyword.length >= depth }
}

interface Candidate {
  transcript: TranscriptRow
  chunk: number
}

/** The best chunk of each allowed session, best first. */
async function bestOfEach(
  { store, projects }: Deps,
  caller: Caller,
  { agentId, project, only, without }: SearchScope,
  hits: readonly ChannelHit[],
): Promise<Candidate[]> {
  const chunks = new Map<string, number>()
  for (const { id } of hits) {
    const [bodyId = '', chunk] = id.split('#')
    if (!chunks.has(bodyId)) chunks.set(bodyId, Number(chunk))
  }
  const keys = project === undefined ? undefined : projects.keysOf(project)
  const rows = await store.tables.transcripts.byBodies([...chunks.keys()])
  const allowed = new Map(
    rows
      .filter(row => row.agent_id === agentId && (keys === undefined || keys.includes(row.project ?? '')))
      .filter(row => (only.length > 0 ? only.includes(row.session_key) : row.session_key !== without))
      .filter(row => mayRead(caller, row))
      .map(row => [row.body_id, row]),
  )
  return [...chunks].flatMap(([bodyId, chunk]) => {
    const transcript = allowed.get(bodyId)
    return transcript ? [{ transcript, chunk }] : []
  })
}

/** The text of a chunk that still exists and is clean. */
async function clean(
  { store }: Deps,
  { body_id }: TranscriptRow,
  chunk: number,
): Promise<string | undefined> {
  const [row]: ChunkToIndex[] = await store.tables.transcriptChunks.of(
    body_id,
    { from: chunk, to: chunk + 1 },
    1,
  )
  return row?.alive === 1 ? loadChunk(store, row) : undefined
}

/** Maximum length of an excerpt, in UTF-16 units. */
const maxLength = 400

/** Characters of the excerpt before the first match. */
const lead = 60

/** The part of a passage with most words of a query; `…` marks omitted text. */
function excerptAround(text: string, query: string): string {
  if (text.length <= maxLength) return text.trim()
  const matches = matchesIn(text, query)
  const start = startOf(text, bestStart(matches))
  const end = endOf(text, start)
  return `${start > 0 ? '…' : ''}${text.slice(start, end).trim()}${end < text.length ? '…' : ''}`
}

interface Match {
  at: number
  terms: readonly string[]
}

function matchesIn(text: string, query: string): Match[] {
  const analyzer = new Analyzer()
  const wanted = new Set(analyzer.query(query))
  return [...text.matchAll(/\S+/gu)].flatMap(({ index, 0: word }) => {
    const terms = analyzer.index(word).filter(term => wanted.has(term))
    return terms.length > 0 ? [{ at: index, terms }] : []
  })
}

/** Position of the match from which an excerpt contains most of the words. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, words: 0 }
  for (const { at } of matches) {
    const inside = matches.filter(other => other.at >= at && other.at < at + maxLength - lead)
    const words = new Set(inside.flatMap(({ terms }) => terms)).size
    if (words > best.words) best = { at, words }
  }
  return best.at
}

/** Position a little before the match, at the beginning of a word. */
function startOf(text: string, match: number): number {
  if (match <= lead) return 0
  const space = text.slice(match - lead, match).search(/\s/u)
  return space < 0 ? match : match - lead + space
}

function endOf(text: string, start: number): number {
  const end = start + maxLength
  if (end >= text.length) return text.length
  const space = text.slice(0, end).search(/\s\S*$/u)
  return space > start + maxLength / 2 ? space : wholeCharacters(text, end)
}

function wholeCharacters(text: string, end: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end - 1 : end
}
