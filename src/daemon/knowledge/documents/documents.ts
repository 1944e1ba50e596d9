import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound } from '../../../contract/ground/errors.js'
import type { Document, ListDocumentsQuery } from '../../../contract/knowledge/documents.js'
import { jsonList } from '../../../lib/concurrency/json-list.js'
import { slicesOf } from '../../../lib/text/clip.js'
import type { ChunkItem } from '../../../store/tables/knowledge/document-chunks.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { assertInScope, type NamedAgent, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { dropChunks } from './drop-chunks.js'
import { ingestJob } from './job.js'

type Deps = Pick<Daemon, 'store'>

/** Chunks loaded and serialised at once: a few milliseconds. */
const pageRows = 500

type DeleteDocumentDeps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/**
 * Deletes a document: ends its job and deletes memories that no other document links to
 * (documents.md#removing). For an already deleted document the work is repeated, because the daemon may have
 * been killed in between.
 * @throws AppError `not_found`, `scope_violation` for a document of another agent than the credential's
 */
export async function deleteDocument(
  deps: DeleteDocumentDeps,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason }: { id: string; reason: string },
): Promise<{ deleted: true; memoriesRemoved: number }> {
  await deps.store.transaction(async tables => {
    const document = await findDocument({ store: { tables } }, boundary, id)
    assertInScope(caller.access.scope, 'agent', document.agent_id)
    const now = deps.clock().toISOString()
    if (document.status !== 'deleted')
      await tables.documents.update(id, { status: 'deleted', chunk_count: 0, updated_at: now })
    await tables.documents.dropText(id)
    await tables.jobs.completeFor(ingestJob.kind, id, now)
  })
  const memoriesRemoved = await dropChunks(deps, caller, { documentId: id, keep: undefined, reason })
  return { deleted: true, memoriesRemoved }
}

/**
 * Lists the documents visible to the caller in the order asked for; deleted ones only with that status
 * filter.
 */
export async function listDocuments(
  deps: Deps,
  caller: Caller,
  { status, limit, offset, sort, ...named }: ListDocumentsQuery,
): Promise<{ documents: Document[]; total: number; limit: number; offset: number }> {
  const boundary = await readBoundary(deps, caller, named)
  const { documents } = deps.store.tables
  const rows = await documents.list({ boundary, status, limit, offset, sort })
  const total = await documents.count({ boundary, status })
  return { documents: rows.map(toDocument), total, limit, offset }
}

export async function getDocument(
  deps: Deps,
  caller: Caller,
  named: NamedAgent,
  id: string,
): Promise<Document> {
  return toDocument(await findDocument(deps, await readBoundary(deps, caller, named), id))
}

/**
 * Streams the current chunks, because a large document has thousands. While a document is read again, the
 * earlier chunks are returned.
 */
export async function documentChunks(
  deps: Deps,
  caller: Caller,
  named: NamedAgent,
  id: string,
): Promise<Readable> {
  const { id: known } = await findDocument(deps, await readBoundary(deps, caller, named), id)
  return Readable.from(chunksAsJson(await currentChunks(deps, known)))
}

/** Loads chunks of a single generation; starts over if it is replaced in the meantime. */
async function currentChunks({ store }: Deps, id: string): Promise<ChunkItem[]> {
  const { documents, documentChunks } = store.tables
  const generation = async () => (await documents.load(id))?.generation
  for (;;) {
    const before = await generation()
    const chunks: ChunkItem[] = []
    for (let page: ChunkItem[] | undefined; page === undefined || page.length === pageRows; ) {
      page = await documentChunks.page(id, chunks.at(-1)?.chunk_index ?? -1, pageRows)
      chunks.push(...page)
      if (page.length === pageRows) await nextTurn()
    }
    if ((await generation()) === before) return chunks
  }
}

async function* chunksAsJson(chunks: readonly ChunkItem[]): AsyncGenerator<string> {
  yield '{"chunks":'
  yield* jsonList(slicesOf(chunks, pageRows))
  yield `,"count":${chunks.length}}`
}

/** @throws AppError `not_found` if the document does not exist or is not visible to the caller */
async function findDocument(
  { store }: { store: Pick<Daemon['store'], 'tables'> },
  boundary: ReadBoundary,
  id: string,
): Promise<DocumentRow> {
  const row = await store.tables.documents.find(id, boundary)
  if (!row) throw notFound(`document ${id} not found`, 'see memory documents list')
  return row
}

function toDocument(row: DocumentRow): Document {
  const { generation: _generation, requests: _requests, created_by: _by, who: _who, ...told } = row
  return {
    ...told,
    source_type: row.source_type as Document['source_type'],
    status: row.status as Document['status'],
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    timings: JSON.parse(row.timings) as Record<string, number>,
  }
}
