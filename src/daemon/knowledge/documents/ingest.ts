import { turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { hashInSlices } from '../../../lib/files/hash-in-slices.js'
import type { DocumentRow, NewDocument } from '../../../store/tables/knowledge/documents.js'
import { chunksOf } from '../../ground/chunks/chunks.js'
import { ownCaller } from '../../ground/visibility/own-caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentGone } from './document-fault.js'
import { dropChunks } from './drop-chunks.js'
import { embedChunks, indexChunks } from './index-chunks.js'
import { ingestJob } from './job.js'
import { readDocument } from './read-document.js'
import { type ReadingSteps, readingSteps } from './reading-steps.js'
import { storeChunks } from './store-chunks.js'

/** What the end of a reading writes: its row, its text, its job. */
const finishRows = 3

export type IngestDeps = Pick<
  Daemon,
  | 'store'
  | 'index'
  | 'embedder'
  | 'clock'
  | 'newId'
  | 'telemetry'
  | 'log'
  | 'configuration'
  | 'paths'
  | 'extractor'
  | 'budget'
>

/**
 * Reads a document, from its text to chunks that are found (documents.md#lifecycle). Chunks of an earlier reading stay until
 * the new ones stand. Whatever was done before a kill is done again and finds itself: the same text is the same memory.
 * @returns false when it was handed over again meanwhile, and is to be read once more
 * @throws DocumentFault, DocumentGone, DocumentFrozen; the signal's reason when the daemon stops.
 */
export async function ingest(deps: IngestDeps, document: DocumentRow, signal: AbortSignal): Promise<boolean> {
  const steps = readingSteps(deps, document.id)
  try {
    return await read(deps, document, steps, signal)
  } finally {
    steps.end()
  }
}

async function read(
  deps: IngestDeps,
  document: DocumentRow,
  steps: ReadingSteps,
  signal: AbortSignal,
): Promise<boolean> {
  const { id } = document
  steps.enter('extracting')
  const text = await readDocument(deps, document, signal)
  const title = document.title ?? text.title
  await turnAfter(text.text)
  const contentHash = await hashInSlices(`${title ?? ''}\n`, text.text)
  await turnAfter(text.text)
  const caller = { ...ownCaller(deps, document.created_by), agentId: document.agent_id }
  const outcome = { content_type: document.content_type ?? text.contentType }
  const isKnown = contentHash === document.content_hash && document.chunk_count > 0
  const drop = { documentId: id, keep: document.generation, reason: 'document read again' }
  if (isKnown) {
    await dropChunks(deps, caller, drop)
    return finish(deps, document, steps, outcome)
  }
  // Not even one that a kill left has the number.
  const newest = await deps.store.tables.documentChunks.newestGeneration(id)
  const generation = Math.max(document.generation, newest ?? 0) + 1
  steps.enter('chunking')
  const chunks = await chunksOf({ ...text, title }, () => deps.budget.breathe())
  const stored = await storeChunks(deps, caller, { document, generation, title }, chunks, signal)
  steps.enter('embedding')
  await embedChunks(deps, stored, signal)
  steps.enter('indexing')
  await indexChunks(deps, stored, signal)
  const inForce = { generation, chunk_count: chunks.length, content_hash: contentHash, title }
  if (newest === undefined) return finish(deps, document, steps, { ...outcome, ...inForce })
  await deps.store.repeatable(async tables => {
    if (!(await tables.documents.advance(id, inForce))) throw new DocumentGone()
  })
  await dropChunks(deps, caller, { ...drop, keep: generation })
  return finish(deps, document, steps, outcome)
}

/** The last change of a reading; a document that was handed over again meanwhile waits for another one. */
async function finish(
  deps: IngestDeps,
  { id, requests }: DocumentRow,
  steps: ReadingSteps,
  fields: Partial<NewDocument>,
): Promise<boolean> {
  return deps.store.repeatable(async tables => {
    const timings = steps.end()
    const now = deps.clock().toISOString()
    const row = await tables.documents.load(id)
    const isLast = row?.requests === requests
    const done = { status: 'done', error: null, completed_at: now, timings }
    const change = { ...fields, ...(isLast && done), updated_at: now }
    if (!(await tables.documents.advance(id, change))) throw new DocumentGone()
    if (!isLast) return false
    await tables.documents.dropText(id)
    // With the last change: whoever hands the document over after it has a job of its own.
    await tables.jobs.completeFor(ingestJob.kind, id, now)
    return true
  }, finishRows)
}
