import { createHash } from 'node:crypto'
import { slicesOf } from '../../../lib/text/slices-of.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { IndexedMemory } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Chunk } from '../../ground/chunks/chunks.js'
import { headingsBelow } from '../../ground/chunks/heading-path.js'
import { type Mark, pageOf } from '../../ground/extraction/extraction.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { type JudgedColumns, judgeAlike } from '../../memory/records/judge-memory.js'
import { contentHash } from '../../memory/records/normalise-content.js'
import { changeEvent } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentFrozen, DocumentGone } from './document-fault.js'

/** Chunks that one transaction writes at most: requests wait while it runs. */
const transactionRows = 64
/** Below what people save by hand: an overview would choose those first. */
const importance = 0.5

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'budget'>

type TextChunk = Chunk<Mark>

/** What is being read. */
interface Reading {
  document: DocumentRow
  generation: number
  title: string | null
}

interface PlacedChunk {
  chunk: TextChunk
  memory: JudgedChunk
}

type JudgedChunk = Unjudged & JudgedColumns & { hint: string | null }

/** A memory that a chunk became, as the index takes it. */
interface FreshChunk {
  row: IndexedMemory
  hints: readonly string[]
}

/** The memories of the chunks of one reading. */
export interface StoredChunks {
  /** In their order, each once. */
  ids: readonly string[]
  /** Those that were not there before, by id. */
  fresh: ReadonlyMap<string, FreshChunk>
}

/**
 * Writes the chunks of one generation of a document, some in each transaction: memories that are not there yet with
 * their history, and the links to all. A text that another document of the agent and project holds is one memory with
 * two links.
 * @throws DocumentGone when the document is deleted meanwhile, DocumentFrozen when mutations are frozen.
 */
export async function storeChunks(
  deps: Deps,
  caller: Caller,
  reading: Reading,
  chunks: readonly TextChunk[],
  signal: AbortSignal,
): Promise<StoredChunks> {
  // Documents that are read at the same time share the turns of the event loop, with searches and with each other.
  const breathe = () => deps.budget.breathe()
  const judge = judgeAlike()
  const ids = new Set<string>()
  const all = new Map<string, FreshChunk>()
  const flush = async (batch: readonly PlacedChunk[], from: number): Promise<void> => {
    signal.throwIfAborted()
    if (isFrozen(deps)) throw new DocumentFrozen()
    const { memories, fresh } = await deps.store.write(
      { until: 'committed', shared: true, rows: batch.length },
      tables => write(deps, tables, caller, { ...reading, from }, batch),
    )
    for (const id of memories) ids.add(id)
    for (const one of fresh) all.set(one.row.id, one)
  }
  // While one batch is written the next is judged.
  let writing: Promise<void> | undefined
  try {
    for (const [position, some] of slicesOf(chunks, transactionRows).entries()) {
      const batch: PlacedChunk[] = []
      for (const chunk of some) {
        const memory = memoryOf(deps, reading.document, chunk)
        const verdict = await judge(memory, chunk.path ? [chunk.path] : [], memory.created_at, breathe)
        batch.push({ chunk, memory: { ...memory, ...verdict, hint: chunk.path || null } })
        await breathe()
      }
      await writing
      writing = flush(batch, position * transactionRows)
      // It is awaited, only later.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  return { ids: [...ids], fresh: all }
}

type Unjudged = ReturnType<typeof memoryOf>

function memoryOf(deps: Deps, document: DocumentRow, { content }: TextChunk) {
  const now = deps.clock().toISOString()
  const { agent_id, project, who } = document
  return {
    id: deps.newId(),
    content,
    content_hash: chunkHash(content),
    hash_space: spaceOf(document),
    type: chunkType,
    importance,
    tags: '',
    pinned: 0,
    who,
    source_id: document.id,
    source_type: 'document',
    source_path: document.source_url,
    runtime_path: null,
    idempotency_key: null,
    project,
    scope: null,
    session_id: null,
    extraction_status: 'none',
    created_at: now,
    updated_at: now,
    updated_by: document.created_by,
    memory_kind: 'episodic',
    agent_id,
    visibility: 'global',
    structured: null,
  }
}

/** Another one than a saved memory of the same words has: a save must not be answered with a chunk, nor the reverse. */
function chunkHash(text: string): string {
  return createHash('sha256')
    .update(`${chunkType}\n${contentHash(text)}`)
    .digest('hex')
}

/** Chunks are shared inside one agent, project and author: nobody learns of another's by a duplicate. */
function spaceOf({ agent_id, project, who }: DocumentRow): string {
  // No agent has a name that begins with a space.
  return ` ${JSON.stringify([chunkType, agent_id, project, who])}`
}

async function write(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  { document, generation, title, from }: Reading & { from: number },
  batch: readonly PlacedChunk[],
): Promise<{ memories: string[]; fresh: FreshChunk[] }> {
  if ((await tables.documents.load(document.id))?.status === 'deleted') throw new DocumentGone()
  const hashes = [...new Set(batch.map(({ memory }) => memory.content_hash))]
  const known = await tables.documentChunks.known(hashes, spaceOf(document))
  const ids = new Map(known)
  const unknown: JudgedChunk[] = []
  for (const { memory } of batch) {
    if (ids.has(memory.content_hash)) continue
    ids.set(memory.content_hash, memory.id)
    unknown.push(memory)
  }
  const fresh = await insert(deps, tables, caller, unknown)
  const links = batch.map(({ chunk, memory }, position) => ({
    document_id: document.id,
    generation,
    chunk_index: from + position,
    memory_id: ids.get(memory.content_hash) as string,
    heading: headingsBelow(title, chunk.path),
    page: pageOf(chunk.from),
  }))
  await tables.documentChunks.add(links)
  return { memories: links.map(link => link.memory_id), fresh }
}

/** Writes the memories of some chunks with their hints and history. */
async function insert(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  chunks: readonly JudgedChunk[],
): Promise<FreshChunk[]> {
  if (chunks.length === 0) return []
  const first = await tables.meta.nextChanges(chunks.length)
  const rows = chunks.map(({ hint: _hint, ...row }, position) => ({ ...row, change: first + position }))
  const hints = chunks.flatMap(({ id, hint }) => (hint ? [{ memory_id: id, position: 0, hint }] : []))
  // Its text stands in its row, and never changes there: repeating it would double every document.
  const created = { event: 'created', reason: 'document read' } as const
  await tables.transfer.insertMemories(rows)
  await tables.transfer.insertHints(hints)
  await tables.transfer.insertEvents(rows.map(row => changeEvent(deps, caller, row, created)))
  return rows.map((row, position) => {
    const { hint } = chunks[position] as JudgedChunk
    return { row: { ...row, is_deleted: 0, further_holders: 0 }, hints: hint ? [hint] : [] }
  })
}
