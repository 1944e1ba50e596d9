import type { ItemKind } from '../../../contract/memory/memory.js'
import type { FoundItem, SearchItemsBody } from '../../../contract/operations/items.js'
import { oneLine, trail } from '../../../lib/text/one-line.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import { entityLine } from '../../ground/entities/entity-line.js'
import { coverageOf, excerptAround } from '../../ground/text/word-coverage.js'
import { agentOf, nearOf, ownBoundary, recallBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { keepRelevant } from '../../memory/recall/ranking/confidence.js'
import type { ArtifactRanking, MemoryRanking } from '../../memory/recall/search/candidates.js'
import { toFilter } from '../../memory/recall/search/filter.js'
import { artifactsBeside, findCandidates } from '../../memory/recall/search/find-candidates.js'
import { findPaths, type GraphReader, type QueryPaths } from '../../memory/recall/search/find-paths.js'
import { isSavedSummary } from '../../memory/recall/summary/saved-summary.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findSessions } from '../../sessions/transcripts/search-sessions.js'
import { firstPrompt } from '../../sessions/transcripts/session-transcript.js'
import { codeRoots, searchCode, symbolId } from './code-items.js'

/** Items looked at of each kind. */
const mostOfKind = 50
const mostSessions = 20
/** Values of an entity in its text. */
const shownValues = 4
const maxTitle = 100
const maxText = 400
/** Characters of a text in which the query's words are looked for. */
const maxRead = 8000
/** Sessions and code with a smaller share of the query are left out: their own order knows no cut-off. */
const leastCovered = 0.5

/** An item before its kind is compared with others. */
export interface UnscoredItem extends Omit<FoundItem, 'score'> {
  /** How well it answers, 0..1: the share of the query's words, or the confidence of its own ranking. */
  answers: number
  /** Reads the title, where that needs more queries; only for the items of a page. */
  readTitle?: (() => Promise<string>) | undefined
}

/** A search with the boundary of its reader. */
export interface ItemSearch {
  caller: Caller
  body: SearchItemsBody
  boundary: Awaited<ReturnType<typeof recallBoundary>>
  filter: ReturnType<typeof toFilter>
  /** The reader of entities. */
  graph: GraphReader
  covers: (text: string) => number
  wanted: ReadonlySet<ItemKind>
}

/** @throws AppError `scope_violation` */
export async function itemSearch(
  daemon: Daemon,
  caller: Caller,
  body: SearchItemsBody,
  wanted: ReadonlySet<ItemKind>,
): Promise<ItemSearch> {
  const agentId = agentOf(caller, body) ?? defaultAgent
  const boundary = ownBoundary(caller, agentId, body)
  return {
    caller,
    body,
    boundary: await recallBoundary(daemon, caller, body),
    filter: { ...toFilter(body), ...(await nearOf(daemon, caller, body)) },
    graph: { agentId, boundary, claims: false, traversal: false, cards: true },
    covers: coverageOf(body.query),
    wanted,
  }
}

/** Finds the items of some kinds, each kind in its own order. */
interface Finder {
  kinds: readonly ItemKind[]
  find: (daemon: Daemon, search: ItemSearch) => Promise<UnscoredItem[]>
}

export const finders: readonly Finder[] = [
  { kinds: ['memory', 'document', 'note', 'entity'], find: findByRecall },
  { kinds: ['session'], find: findInSessions },
  { kinds: ['code'], find: findInCode },
]

/** Results of the indexes of memories and artifacts, and the names of entities in the query. */
interface IndexFinds {
  memories?: MemoryRanking | undefined
  documents?: MemoryRanking | undefined
  notes?: ArtifactRanking | undefined
  paths?: QueryPaths | undefined
}

async function findByRecall(daemon: Daemon, search: ItemSearch): Promise<UnscoredItem[]> {
  const isTogether = search.wanted.has('memory')
  const finds = await (isTogether ? searchTogether(daemon, search) : searchWithoutMemories(daemon, search))
  return [
    ...(finds.memories ? memoryItems(search, finds.memories) : []),
    ...(finds.documents ? await documentItems(daemon, search, finds.documents) : []),
    ...(finds.notes ? noteItems(search, finds.notes) : []),
    ...(finds.paths ? await entityItems(daemon, search, finds.paths) : []),
  ]
}

/** A note belongs to no project and has no author that recall filters by. */
const mayHaveNotes = ({ wanted, body }: ItemSearch) => wanted.has('note') && !body.project
const mayHaveEntities = ({ wanted, body }: ItemSearch) => wanted.has('entity') && !body.project && !body.who

/** One search as in a recall finds memories, documents and notes, and looks up the names of entities. */
async function searchTogether(daemon: Daemon, search: ItemSearch): Promise<IndexFinds> {
  const { body, boundary, filter, graph, wanted } = search
  const result = await findCandidates(daemon, {
    query: body.query,
    boundary,
    filter: wanted.has('document') ? filter : { ...filter, chunks: false },
    limit: mostOfKind,
    ...(mayHaveNotes(search) && { artifacts: 'answering' }),
    ...(mayHaveEntities(search) && { graph }),
  })
  const notes = await result.artifacts?.({ areAlone: false })
  return { memories: result, documents: result.documents, notes, paths: result.paths }
}

/** Leaves out the memories, which are the most rows by far, and searches notes by words only. */
async function searchWithoutMemories(daemon: Daemon, search: ItemSearch): Promise<IndexFinds> {
  const { body, boundary, filter, graph, wanted } = search
  const { query } = body
  const asked = { query, boundary, limit: mostOfKind }
  const hasDocuments = wanted.has('document') && (await daemon.store.tables.documentChunks.any())
  const byWords = { vector: undefined, model: 'other' as const }
  const [documents, notes, paths] = await Promise.all([
    hasDocuments
      ? findCandidates(daemon, { ...asked, filter: { ...filter, types: [chunkType] } })
      : undefined,
    mayHaveNotes(search)
      ? artifactsBeside(daemon, { ...asked, filter, artifacts: 'answering' }, byWords)({ areAlone: false })
      : undefined,
    mayHaveEntities(search)
      ? findPaths(daemon, graph, { query, project: filter.project, ratings: new Map() })
      : undefined,
  ])
  return { documents, notes, paths }
}

function memoryItems(search: ItemSearch, { rows, confidence }: MemoryRanking): UnscoredItem[] {
  const memories = rows.filter(({ row }) => !isSavedSummary(row))
  const best = keepRelevant(memories, confidence).slice(0, mostOfKind)
  return best.map(({ row, score }) => ({
    kind: 'memory',
    id: row.id,
    ...shown(search, row.content, row.content, score),
    project: row.project,
    who: row.who,
    at: row.created_at,
  }))
}

async function documentItems(
  daemon: Daemon,
  search: ItemSearch,
  { rows, confidence }: MemoryRanking,
): Promise<UnscoredItem[]> {
  const best = keepRelevant(rows, confidence).slice(0, mostOfKind)
  const { documentChunks } = daemon.store.tables
  const places = await documentChunks.placesOf(
    best.map(({ row }) => row),
    search.boundary,
  )
  return best.map(({ row, score }) => {
    const place = places.get(row.id)
    return {
      kind: 'document',
      id: row.id,
      ...shown(search, trail([place?.title, place?.heading]) || row.content, row.content, score),
      project: row.project,
      who: row.who,
      at: row.created_at,
    }
  })
}

function noteItems(search: ItemSearch, { rows, confidence }: ArtifactRanking): UnscoredItem[] {
  return keepRelevant(rows, confidence)
    .slice(0, mostOfKind)
    .map(({ id, score, chunk }) => ({
      kind: 'note',
      id,
      ...shown(search, trail([chunk.title, chunk.heading]) || chunk.path, chunk.text, score),
      project: null,
      who: chunk.author,
      at: chunk.source_updated_at ?? chunk.updated_at,
    }))
}

/** Entities that the query names; one whose name makes up more of the query first. */
async function entityItems(
  { store: { tables }, clock }: Daemon,
  { body: { since, until }, graph: { boundary }, covers }: ItemSearch,
  { matches }: QueryPaths,
): Promise<UnscoredItem[]> {
  const ids = [...matches.entities.keys()]
  if (ids.length === 0) return []
  const entities = new Map((await tables.entities.told(ids, boundary)).map(row => [row.id, row]))
  const values = await tables.claims.current([...entities.keys()], {
    boundary,
    sources: {},
    minConfidence: 0,
    project: undefined,
    now: clock().toISOString(),
    limit: shownValues,
  })
  return ids.flatMap(id => {
    const entity = entities.get(id)
    if (!entity || (since && entity.updated_at < since) || (until && entity.updated_at > until)) return []
    const own = values.filter(({ entity_id: of }) => of === id)
    const text = entityLine(entity, own)
    return {
      kind: 'entity' as const,
      id,
      title: oneLine(entity.name, maxTitle),
      text: oneLine(text, maxText),
      project: null,
      who: null,
      at: entity.updated_at,
      answers: Math.max(covers(text), matches.shareOf(matches.entities.get(id) ?? [])),
    }
  })
}

async function findInSessions(daemon: Daemon, { caller, body, covers }: ItemSearch): Promise<UnscoredItem[]> {
  const near = body.project ? { project: body.project } : { project: caller.project, orNoProject: true }
  const found = await findSessions(daemon, caller, {
    query: body.query,
    agentId: body.agentId,
    agent_id: body.agent_id,
    limit: mostSessions,
    harness: body.who,
    since: body.since,
    until: body.until,
    ...near,
  })
  return found.flatMap(({ transcript, position, excerpt }) => {
    const answers = covers(excerpt)
    if (answers < leastCovered) return []
    const { session_key: key, project, harness, captured_at: at } = transcript
    const readTitle = async () => oneLine((await firstPrompt(daemon, transcript)) || key, maxTitle)
    const id = `session:${key}#${position}`
    const text = oneLine(excerpt, maxText)
    return [{ kind: 'session', id, title: key, text, project, who: harness, at, answers, readTitle }]
  })
}

/** Code has neither an author nor a time, so those filters leave it out. */
async function findInCode(daemon: Daemon, { caller, body, covers }: ItemSearch): Promise<UnscoredItem[]> {
  if (body.who || body.since || body.until) return []
  const roots = await codeRoots(daemon, caller, body.project ?? caller.project)
  const found = await searchCode(daemon, roots, { query: body.query, top: mostOfKind })
  return found
    .map(({ place, symbol }) => {
      const { path, qualified, line, signature, doc } = symbol
      return {
        kind: 'code' as const,
        id: symbolId(place, symbol, roots.length > 1),
        title: oneLine(qualified, maxTitle),
        text: oneLine([`${path}:${line}`, signature, doc].filter(Boolean).join(' · '), maxText),
        project: place.project,
        who: null,
        at: null,
        answers: covers(`${qualified} ${signature ?? ''} ${doc ?? ''} ${path}`),
      }
    })
    .filter(({ answers }) => answers >= leastCovered)
}

/** Title and best excerpt of a text, and how well both answer. */
function shown(
  { body: { query }, covers }: ItemSearch,
  title: string,
  text: string,
  score: number,
): Pick<UnscoredItem, 'title' | 'text' | 'answers'> {
  const excerpt = excerptAround(text.slice(0, maxRead), query)
  return {
    title: oneLine(title, maxTitle),
    text: oneLine(excerpt, maxText),
    answers: Math.max(score, covers(title === text ? excerpt : `${title} ${excerpt}`)),
  }
}
