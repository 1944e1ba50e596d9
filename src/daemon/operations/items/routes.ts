import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { MemoryRecord } from '../../../contract/memory/record.js'
import type { OpenedItem } from '../../../contract/operations/items.js'
import * as contract from '../../../contract/operations/items.js'
import { quoted } from '../../../lib/text/clip.js'
import { oneLine } from '../../../lib/text/one-line.js'
import { wholeUuid } from '../../../lib/text/uuid.js'
import type { ChunkItem } from '../../../store/tables/knowledge/document-chunks.js'
import type { PassageRow } from '../../../store/tables/knowledge/source-chunks.js'
import { chunkType, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { chunkEntryId, parseChunkEntryId } from '../../ground/index/artifact-entries.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { showEntity } from '../../knowledge/ontology/entities.js'
import { artifactFilter } from '../../memory/recall/search/find-artifacts.js'
import { getMemory } from '../../memory/records/read.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { firstPrompt, mayRead, readTurns, shortened } from '../../sessions/transcripts/session-transcript.js'
import { type ItemRequest, openSymbol } from './code-items.js'
import { searchItems } from './search-items.js'

/** Turns before and after the one that an id names. */
const turnsAround = 3
const maxTitle = 100

type Passages = Extract<OpenedItem, { kind: 'note' | 'document' }>

export const routes = [
  route(contract.searchItems, (daemon, { caller, body }) => searchItems(daemon, caller, body)),
  route(contract.openItem, (daemon, { caller, params, query }) =>
    openItem(daemon, caller, { id: params.id, ...query }),
  ),
]

/**
 * Opens anything that a search over all kinds finds, by its id. An id of another form is that of a memory or
 * an entity.
 * @throws AppError `not_found` for what does not exist or is not visible to the caller, `scope_violation`
 */
async function openItem(daemon: Daemon, caller: Caller, request: ItemRequest): Promise<OpenedItem> {
  const { id } = request
  if (id.startsWith('session:')) return openTurn(daemon, caller, request)
  if (id.startsWith('code:')) return openSymbol(daemon, caller, request)
  const boundary = await readBoundary(daemon, caller, request)
  if (/#\d+$/u.test(id)) return openNote(daemon, boundary, id)
  return openRow(daemon, caller, boundary, request)
}

/** A memory, a passage of a document or an entity: each has a plain id. */
async function openRow(
  daemon: Daemon,
  caller: Caller,
  boundary: ReadBoundary,
  request: ItemRequest,
): Promise<OpenedItem> {
  const { id } = request
  const memory = await ifFound(getMemory(daemon, boundary, id))
  if (!(memory instanceof AppError)) return openMemory(daemon, boundary, memory)
  const entity = await ifFound(showEntity(daemon, caller, request))
  if (!(entity instanceof AppError)) return { kind: 'entity', id: entity.entity.id, entity }
  // It names a forgotten memory, and how to recover it.
  if (wholeUuid.test(id)) throw memory
  throw notFound(`${quoted(id)} not found`, 'find ids with memory search or memory list')
}

/** Returns a `not_found` as a value. */
async function ifFound<T>(reading: Promise<T>): Promise<T | AppError> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return error
    throw error
  }
}

async function openMemory(daemon: Daemon, boundary: ReadBoundary, memory: MemoryRecord): Promise<OpenedItem> {
  const passages =
    memory.type === chunkType && memory.contentSafety.status === 'clean'
      ? await passagesOfDocument(daemon, boundary, memory)
      : undefined
  return passages ?? { kind: 'memory', id: memory.id, memory }
}

/** A passage of a document with its neighbours; undefined once its document is gone. */
async function passagesOfDocument(
  { store: { tables } }: Daemon,
  boundary: ReadBoundary,
  memory: MemoryRecord,
): Promise<Passages | undefined> {
  const place = (await tables.documentChunks.placesOf([memory], boundary)).get(memory.id)
  const document = place && (await tables.documents.find(place.id, boundary))
  if (!place || !document) return undefined
  const around = await tables.documentChunks.page(document.id, place.chunk_index - 2, 3)
  const others = around.filter(({ id }) => id !== memory.id).map(({ id }) => id)
  const readable = await tables.memories.authorize(others, boundary, {})
  const at = (index: number) => {
    const chunk = around.find(({ chunk_index, id }) => chunk_index === index && readable.has(id))
    return chunk ? passageOf(chunk) : null
  }
  return {
    kind: 'document',
    id: memory.id,
    of: {
      id: document.id,
      title: document.title,
      path: null,
      url: document.source_url,
      project: document.project,
      sourceKind: null,
      sourceName: null,
    },
    passage: { id: memory.id, text: memory.content, heading: place.heading, page: place.page },
    before: at(place.chunk_index - 1),
    after: at(place.chunk_index + 1),
  }
}

function passageOf({ id, content, heading, page }: ChunkItem): Passages['passage'] {
  return { id, text: content, heading, page }
}

/** A passage of a source's artifact with its neighbours. */
async function openNote(
  { store: { tables } }: Daemon,
  boundary: ReadBoundary,
  id: string,
): Promise<Passages> {
  const { artifact_id, chunk } = parseChunkEntryId(id)
  const agents = await tables.sources.agentsWithin(boundary)
  // A credential of one project or user reads no sources.
  const isReadable = artifactFilter(boundary, {}, agents) !== undefined
  const keys = [chunk - 1, chunk, chunk + 1].map(number => ({ artifact_id, chunk: number }))
  const rows = isReadable ? await tables.sourceChunks.found(keys, agents) : []
  const at = (number: number) => rows.find(row => row.chunk === number)
  const row = at(chunk)
  if (!row)
    throw notFound(
      `passage ${quoted(id)} not found: its source may have changed`,
      'find it again with memory search',
    )
  return {
    kind: 'note',
    id,
    of: {
      id: artifact_id,
      title: row.title,
      path: row.path,
      url: row.url,
      project: null,
      sourceKind: row.source_kind,
      sourceName: row.source_name,
    },
    passage: notePassage(row),
    before: at(chunk - 1) ? notePassage(at(chunk - 1) as PassageRow) : null,
    after: at(chunk + 1) ? notePassage(at(chunk + 1) as PassageRow) : null,
  }
}

function notePassage(row: PassageRow): Passages['passage'] {
  return { id: chunkEntryId(row), text: row.text, heading: row.heading, page: row.page }
}

/** A turn of a session with those around it; without a position, the first turns. */
async function openTurn(daemon: Daemon, caller: Caller, request: ItemRequest): Promise<OpenedItem> {
  const { id } = request
  const [, key = '', number] = /^session:(.+?)(?:#(\d+))?$/u.exec(id) ?? []
  const agentId = agentOf(caller, request) ?? defaultAgent
  const position = Number(number ?? 0)
  const row = await daemon.store.tables.transcripts.find({ agentId, sessionKey: sessionKeyOf(key) })
  if (!row || !mayRead(caller, row))
    throw notFound(`session ${quoted(key)} not found`, 'find it with memory sessions search')
  if (position >= row.messages)
    throw new AppError(
      'not_found',
      `session ${quoted(key)} has no turn ${position}; its last one is ${row.messages - 1}`,
    )
  const turns = await readTurns(daemon, row, {
    from: Math.max(0, position - turnsAround),
    to: Math.min(row.messages - 1, position + turnsAround),
  })
  return {
    kind: 'session',
    id: `session:${row.session_key}#${position}`,
    sessionKey: row.session_key,
    title: oneLine(await firstPrompt(daemon, row), maxTitle),
    harness: row.harness,
    project: row.project,
    capturedAt: row.captured_at,
    total: row.messages,
    position,
    turns: turns.map(shortened),
  }
}
