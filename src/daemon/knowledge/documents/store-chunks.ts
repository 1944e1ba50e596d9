import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { everyFewMs } from '../../../lib/every-few-ms.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { NewMemory } from '../../../store/tables/memory/memories.js'
import { chunkType } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Chunk } from '../../ground/chunks/chunks.js'
import { headingsBelow } from '../../ground/chunks/heading-path.js'
import { type Mark, pageOf } from '../../ground/extraction/extraction.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { judgeMemory } from '../../memory/records/judge-memory.js'
import { contentHash } from '../../memory/records/normalise-content.js'
import { changeEvent } from '../../memory/records/write-change.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentFrozen, DocumentGone } from './document-fault.js'

/** Chunks that one transaction writes: requests wait while it runs and syncs. */
const transactionRows = 50
/** Below what people save by hand: an overview would choose those first. */
const importance = 0.5

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration'>

type TextChunk = Chunk<Mark>

/** What is being read. */
interface Reading {
  document: DocumentRow
  generation: number
  title: string | null
}

type JudgedChunk = Omit<NewMemory, 'change'> & { hint: string | null }

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
): Promise<void> {
  const breathe = everyFewMs()
  let batch: { chunk: TextChunk; memory: JudgedChunk }[] = []
  let stored = 0
  const flush = async (): Promise<void> => {
    signal.throwIfAborted()
    if (isFrozen(deps)) throw new DocumentFrozen()
    const from = stored
    const written = batch
    await deps.store.repeatable(tables => write(deps, tables, caller, { ...reading, from }, written))
    stored += batch.length
    batch = []
    await nextTurn()
  }
  for (const chunk of chunks) {
    const memory = memoryOf(deps, reading.document, chunk)
    const verdict = await judgeMemory(memory, chunk.path ? [chunk.path] : [], memory.created_at, breathe)
    batch.push({ chunk, memory: { ...memory, ...verdict, hint: chunk.path || null } })
    if (batch.length === transactionRows) await flush()
    await breathe()
  }
  if (batch.length > 0) await flush()
}

type Unjudged = Omit<
  NewMemory,
  'change' | 'safety_status' | 'safety_reasons' | 'safety_rules' | 'safety_policy' | 'safety_scanned_at'
>

function memoryOf(deps: Deps, document: DocumentRow, { content }: TextChunk): Unjudged {
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
  batch: readonly { chunk: TextChunk; memory: JudgedChunk }[],
): Promise<void> {
  if ((await tables.documents.load(document.id))?.status === 'deleted') throw new DocumentGone()
  const hashes = [...new Set(batch.map(({ memory }) => memory.content_hash))]
  const known = await tables.documentChunks.known(hashes, spaceOf(document))
  const ids = new Map([...known].map(([hash, { id }]) => [hash, id]))
  const fresh: NewMemory[] = []
  const hints = []
  const events = []
  for (const { memory } of batch) {
    const { hint, ...row } = memory
    if (ids.has(row.content_hash)) continue
    ids.set(row.content_hash, row.id)
    const change = await tables.meta.nextChange()
    fresh.push({ ...row, change })
    if (hint) hints.push({ memory_id: row.id, position: 0, hint })
    // Its text stands in its row, and never changes there: repeating it would double every document.
    events.push(
      changeEvent(deps, caller, { id: row.id, change }, { event: 'created', reason: 'document read' }),
    )
  }
  await tables.transfer.insertMemories(fresh)
  await tables.transfer.insertHints(hints)
  await tables.transfer.insertEvents(events)
  const links = batch.map(({ chunk, memory }, position) => ({
    document_id: document.id,
    generation,
    chunk_index: from + position,
    memory_id: ids.get(memory.content_hash) as string,
    heading: headingsBelow(title, chunk.path),
    page: pageOf(chunk.from),
  }))
  await tables.documentChunks.add(links)
}
