import type { DocumentStatus } from '../../../contract/knowledge/documents.js'
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
  await deps.store.write({ until: 'committed' }, async tables => {
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
  return deps.store.write({ until: 'committed', shared: true, rows: finishRows }, async tables => {
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
  })
}

/** A step that is over sooner is not written: nobody would see it, and each write costs as much as storing a chunk. */
const shownAfterMs = 100

type Step = Extract<DocumentStatus, 'extracting' | 'chunking' | 'embedding' | 'indexing'>

/** Where a reading is, and how long it was where. */
interface ReadingSteps {
  enter(step: Step): void
  /** Ends the last step; call it before the status that comes after it is written. @returns milliseconds by step, as JSON. */
  end(): string
}

/** Tells the status of a document while it is read. What a power cut loses of it is done again anyway: nothing waits for the disk. */
function readingSteps(
  { store, clock, log }: Pick<Daemon, 'store' | 'clock' | 'log'>,
  id: string,
): ReadingSteps {
  const spent: Record<string, number> = {}
  let present: { step: Step; since: number; timer: NodeJS.Timeout } | undefined
  const leave = (): void => {
    if (!present) return
    clearTimeout(present.timer)
    spent[present.step] = Number((performance.now() - present.since).toFixed(1))
    present = undefined
  }
  const show = (step: Step): void => {
    const change = { status: step, updated_at: clock().toISOString() }
    const written = store.write({ until: 'executed' }, async ({ documents }) => {
      // While it waited for its turn the reading may have gone on.
      if (present?.step === step) await documents.advance(id, change)
    })
    written.catch(error => log.warn({ err: error, document: id }, 'status of a document not written'))
  }
  return {
    enter: step => {
      leave()
      const timer = setTimeout(() => show(step), shownAfterMs)
      present = { step, since: performance.now(), timer }
    },
    end: () => {
      leave()
      return JSON.stringify(spent)
    },
  }
}
