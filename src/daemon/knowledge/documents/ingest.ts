import { createHash } from 'node:crypto'
import type { DocumentStatus } from '../../../contract/knowledge/documents.js'
import { everyFewMs, turnAfter } from '../../../lib/every-few-ms.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import { chunksOf } from '../../ground/chunks/chunks.js'
import { ownCaller } from '../../ground/visibility/own-caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentGone } from './document-fault.js'
import { dropChunks } from './drop-chunks.js'
import { embedChunks, indexChunks } from './index-chunks.js'
import { ingestJob } from './job.js'
import { readDocument } from './read-document.js'
import { storeChunks } from './store-chunks.js'

export type IngestDeps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'log' | 'configuration' | 'paths' | 'extractor'
>

type Step = Extract<DocumentStatus, 'extracting' | 'chunking' | 'embedding' | 'indexing'>

/**
 * Reads a document, from its text to chunks that are found (documents.md#lifecycle). Chunks of an earlier reading stay until
 * the new ones stand. Whatever was done before a kill is done again and finds itself: the same text is the same memory.
 * @throws DocumentFault, DocumentGone, DocumentFrozen; the signal's reason when the daemon stops.
 */
export async function ingest(deps: IngestDeps, document: DocumentRow, signal: AbortSignal): Promise<void> {
  const { id } = document
  const steps = stepsOf(deps, id)
  await steps.enter('extracting')
  const read = await readDocument(deps, document, signal)
  const title = document.title ?? read.title
  await turnAfter(read.text)
  const contentHash = await hashOf(title ?? '', read.text)
  await turnAfter(read.text)
  const isNew = contentHash !== document.content_hash || document.chunk_count === 0
  const { documentChunks } = deps.store.tables
  const generation = isNew
    ? await documentChunks.nextGeneration(id, document.generation)
    : document.generation
  const caller = { ...ownCaller(deps, document.created_by), agentId: document.agent_id }
  if (isNew) {
    await steps.enter('chunking')
    const chunks = await chunksOf({ ...read, title })
    await storeChunks(deps, caller, { document, generation, title }, chunks, signal)
    await steps.enter('embedding')
    await embedChunks(deps, { documentId: id, generation }, signal)
    await steps.enter('indexing')
    await indexChunks(deps, { documentId: id, generation }, signal)
    await deps.store.repeatable(async tables => {
      const inForce = { generation, chunk_count: chunks.length, content_hash: contentHash, title }
      if (!(await tables.documents.advance(id, inForce))) throw new DocumentGone()
    })
  }
  await dropChunks(deps, caller, { documentId: id, keep: generation, reason: 'document read again' })
  await finish(deps, document, {
    content_type: document.content_type ?? read.contentType,
    ...steps.timings(),
  })
}

/** Characters that are hashed between two turns of the event loop. */
const hashedLength = 256 * 1024

/** SHA-256 of a title and a text, hexadecimal. */
async function hashOf(title: string, text: string): Promise<string> {
  const breathe = everyFewMs()
  const hash = createHash('sha256').update(`${title}\n`)
  for (let from = 0; from < text.length; from += hashedLength) {
    hash.update(text.slice(from, from + hashedLength))
    await breathe()
  }
  return hash.digest('hex')
}

/** The last change of a reading; a document that was handed over again meanwhile waits for another one. */
async function finish(
  deps: IngestDeps,
  { id, requests }: DocumentRow,
  fields: { content_type: string | null; timings: string },
): Promise<void> {
  await deps.store.repeatable(async tables => {
    const now = deps.clock().toISOString()
    const row = await tables.documents.load(id)
    if (row?.requests !== requests) return
    const done = { status: 'done', error: null, updated_at: now, completed_at: now, ...fields }
    if (!(await tables.documents.advance(id, done))) throw new DocumentGone()
    await tables.documents.dropText(id)
    // With the last change: whoever hands the document over after it has a job of its own.
    await tables.jobs.completeFor(ingestJob.kind, id, now)
  })
}

/** Tells where a document is, and how long it was where. */
function stepsOf({ store, clock }: IngestDeps, id: string) {
  const spent: Record<string, number> = {}
  let present: { step: Step; since: number } | undefined
  const leave = (): void => {
    if (present) spent[present.step] = Number((performance.now() - present.since).toFixed(1))
  }
  return {
    /** What a power cut loses of it is done again anyway: no step waits for the disk. */
    enter: async (step: Step): Promise<void> => {
      leave()
      present = { step, since: performance.now() }
      const change = { status: step, updated_at: clock().toISOString() }
      if (!(await store.bookkeeping(({ documents }) => documents.advance(id, change))))
        throw new DocumentGone()
    },
    timings: (): { timings: string } => {
      leave()
      return { timings: JSON.stringify(spent) }
    },
  }
}
