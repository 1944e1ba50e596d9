import { createHash } from 'node:crypto'
import { slicesOf } from '../../../lib/text/clip.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { IndexedMemory, NewMemory } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import { headingsBelow } from '../../ground/chunks/blocks.js'
import type { Chunk } from '../../ground/chunks/chunks.js'
import { type Mark, pageOf } from '../../ground/extraction/extraction.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { createSimilarJudge, type JudgedColumns } from '../../memory/records/judge-memory.js'
import { contentHash } from '../../memory/records/normalise-content.js'
import { type FreshMemory, insertMemories } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentFrozen, DocumentGone } from './document-fault.js'

/** Maximum of chunks per transaction, during which requests wait. */
const transactionRows = 64
/** Lower than that of memories saved by hand, which overviews must prefer. */
const importance = 0.5

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'budget'>

type TextChunk = Chunk<Mark>

/** The document and generation whose chunks are stored. */
interface DocumentGeneration {
  document: DocumentRow
  generation: number
  title: string | null
}

interface ChunkMemory {
  chunk: TextChunk
  memory: UnscannedChunk & JudgedColumns
  hints: readonly string[]
}

/** A memory made from a chunk, ready for the store and the index. */
interface FreshChunk extends FreshMemory {
  row: NewMemory & IndexedMemory
}

/** The memories of the chunks of one generation. */
export interface StoredChunks {
  /** In chunk order, without duplicates. */
  ids: readonly string[]
  /** Newly created memories by id. */
  fresh: ReadonlyMap<string, FreshChunk>
}

/**
 * Writes the chunks of one generation of a document in several transactions: new memories with their history,
 * and links to all. A text shared with another document of the agent and project is one memory with two
 * links.
 * @throws DocumentGone when the document is deleted in the meantime, DocumentFrozen when mutations are frozen
 */
export async function storeChunks(
  deps: Deps,
  caller: Caller,
  reading: DocumentGeneration,
  chunks: readonly TextChunk[],
  signal: AbortSignal,
): Promise<StoredChunks> {
  // Concurrent readings share the turns of the event loop with searches and with each other.
  const breathe = () => deps.budget.breathe()
  const judge = createSimilarJudge()
  const ids = new Set<string>()
  const all = new Map<string, FreshChunk>()
  const flush = async (batch: readonly ChunkMemory[], from: number): Promise<void> => {
    signal.throwIfAborted()
    if (isFrozen(deps)) throw new DocumentFrozen()
    const { memories, fresh } = await deps.store.write(
      { until: 'committed', shared: true, rows: batch.length },
      tables => writeBatch(deps, tables, caller, { ...reading, from }, batch),
    )
    for (const id of memories) ids.add(id)
    for (const one of fresh) all.set(one.row.id, one)
  }
  // The next batch is scanned while one is written.
  let writing: Promise<void> | undefined
  try {
    for (const [position, some] of slicesOf(chunks, transactionRows).entries()) {
      const batch: ChunkMemory[] = []
      for (const chunk of some) {
        const memory = memoryOf(deps, reading.document, chunk)
        const hints = chunk.path ? [chunk.path] : []
        const verdict = await judge(memory, hints, memory.created_at, breathe)
        batch.push({ chunk, memory: { ...memory, ...verdict }, hints })
        await breathe()
      }
      await writing
      writing = flush(batch, position * transactionRows)
      // The error is reported by the later await.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  return { ids: [...ids], fresh: all }
}

type UnscannedChunk = ReturnType<typeof memoryOf>

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

/**
 * Differs from the hash of a saved memory with the same text: a save must never return a chunk, nor the
 * reverse.
 */
function chunkHash(text: string): string {
  return createHash('sha256')
    .update(`${chunkType}\n${contentHash(text)}`)
    .digest('hex')
}

/**
 * Chunks are only shared within an agent, project and author, so that duplicates reveal nothing to others.
 */
function spaceOf({ agent_id, project, who }: DocumentRow): string {
  // Agent names never begin with a space, so this cannot collide with one.
  return ` ${JSON.stringify([chunkType, agent_id, project, who])}`
}

async function writeBatch(
  deps: Deps,
  tables: Tables,
  caller: Caller,
  { document, generation, title, from }: DocumentGeneration & { from: number },
  batch: readonly ChunkMemory[],
): Promise<{ memories: string[]; fresh: FreshChunk[] }> {
  if ((await tables.documents.load(document.id))?.status === 'deleted') throw new DocumentGone()
  const hashes = [...new Set(batch.map(({ memory }) => memory.content_hash))]
  const known = await tables.documentChunks.known(hashes, spaceOf(document))
  const ids = new Map(known)
  const fresh: FreshChunk[] = []
  for (const { memory, hints } of batch) {
    if (ids.has(memory.content_hash)) continue
    ids.set(memory.content_hash, memory.id)
    fresh.push({ author: caller, row: { ...memory, change: 0, is_deleted: 0, further_holders: 0 }, hints })
  }
  await insertMemories(deps, tables, fresh, 'document read')
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
