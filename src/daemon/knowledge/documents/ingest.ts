import type { DocumentStatus } from '../../../contract/knowledge/documents.js'
import { turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { hashInSlices } from '../../../lib/files/hash-in-slices.js'
import { slicesOf } from '../../../lib/text/clip.js'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import type { DocumentRow, NewDocument } from '../../../store/tables/knowledge/documents.js'
import { chunksOf } from '../../ground/chunks/chunks.js'
import { isHidden, toEntry } from '../../ground/index/memory-entries.js'
import { ownCaller } from '../../ground/visibility/caller.js'
import { embedMemories } from '../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { manifestKind } from '../files/manifest-kind.js'
import { DocumentGone } from './document-fault.js'
import { dropChunks } from './drop-chunks.js'
import { ingestJob } from './job.js'
import { readDocument } from './read-document.js'
import { type StoredChunks, storeChunks } from './store-chunks.js'

/** Chunks indexed in one turn of the event loop: some milliseconds. */
const indexRows = 32
/** Texts per call of the embedder. */
const embedRows = 16
/** Longest time that a document waits for its vectors; the back-fill makes the rest. */
const embedBudgetMs = 20_000

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'budget'>

/**
 * Makes missing vectors while the provider answers and time is left; the back-fill of memories makes the
 * others.
 */
async function embedChunks(deps: Deps, { ids }: StoredChunks, signal: AbortSignal): Promise<void> {
  const until = performance.now() + embedBudgetMs
  for (const some of slicesOf(ids, embedRows)) {
    signal.throwIfAborted()
    if (!deps.embedder().status().available || performance.now() > until) return
    const known = await deps.store.tables.vectors.of(some, deps.embedder().status())
    const missing = some.filter(id => !known.has(id))
    try {
      if (missing.length > 0) await embedMemories(deps, missing)
    } catch (error) {
      if (error instanceof EmbeddingUnavailable || error instanceof EmbeddingRefused) return
      throw error
    }
  }
}

/**
 * Indexes the chunks with their vectors. Chunks that were just written and have not changed are not loaded
 * again.
 */
async function indexChunks(deps: Deps, { ids, fresh }: StoredChunks, signal: AbortSignal): Promise<void> {
  const { memories } = deps.store.tables
  for (const some of slicesOf(ids, indexRows)) {
    signal.throwIfAborted()
    await deps.budget.breathe()
    const changes = await memories.changesOf(some)
    const others: string[] = []
    for (const [id, change] of changes) {
      const known = fresh.get(id)
      if (known?.row.change === change) deps.index.upsert(toEntry(known.row, known.hints))
      else others.push(id)
    }
    await indexStored(deps, others)
    await deps.index.settled()
  }
}

async function indexStored(deps: Deps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { memories, hints, vectors } = deps.store.tables
  const [rows, hintsOf, vectorsOf] = await Promise.all([
    memories.load(ids),
    hints.of(ids),
    vectors.of(ids, deps.embedder().status()),
  ])
  for (const row of rows) {
    if (isHidden(row)) continue
    deps.index.upsert(toEntry(row, hintsOf.get(row.id) ?? []))
    const vector = vectorsOf.get(row.id)
    if (vector) deps.index.setVector(row.id, vector)
  }
}

/** Rows written at the end: the document, its text, its job. */
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
 * Reads a document up to searchable chunks (documents.md#lifecycle). Chunks of an earlier reading stay until
 * the new ones are complete. After a kill every step is repeated safely, because the same text is the same
 * memory.
 * @returns false if the document was submitted again in the meantime and must be read once more
 * @throws DocumentFault, DocumentGone, DocumentFrozen; the signal's reason when the daemon stops
 */
export async function ingest(deps: IngestDeps, document: DocumentRow, signal: AbortSignal): Promise<boolean> {
  const steps = createIngestSteps(deps, document.id)
  try {
    return await read(deps, document, steps, signal)
  } finally {
    steps.end()
  }
}

async function read(
  deps: IngestDeps,
  document: DocumentRow,
  steps: IngestSteps,
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
  const outcome = {
    content_type: document.content_type ?? text.contentType,
    guessed_charset: text.guessedCharset,
  }
  const isKnown = contentHash === document.content_hash && document.chunk_count > 0
  const drop = { documentId: id, keep: document.generation, reason: 'document read again' }
  if (isKnown) {
    await dropChunks(deps, caller, drop)
    return finish(deps, document, steps, outcome)
  }
  // Must also differ from a generation that a kill left incomplete.
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

/** Writes the outcome; a document that was submitted again in the meantime stays queued. */
async function finish(
  deps: IngestDeps,
  { id, requests, agent_id, source_url }: DocumentRow,
  steps: IngestSteps,
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
    if (source_url && manifestKind(source_url)) {
      const subject = { agent_id, subject_kind: 'document', subject: id, kind: 'new_evidence', detail: null }
      await tables.attentions.add({ ...subject, id: deps.newId(), created_at: now })
    }
    // In the same transaction, so that a later submission gets a new job.
    await tables.jobs.completeFor(ingestJob.kind, id, now)
    return true
  })
}

/**
 * Shorter steps are not stored: they would not be noticed, and each write costs as much as storing a chunk.
 */
const shownAfterMs = 100

type Step = Extract<DocumentStatus, 'extracting' | 'chunking' | 'embedding' | 'indexing'>

/** Tracks the current step and the time spent in each. */
interface IngestSteps {
  enter(step: Step): void
  /**
   * Ends the last step; call it before writing the final status.
   * @returns milliseconds by step, as JSON
   */
  end(): string
}

/**
 * Publishes the document's status while it is read. It is not synced to disk, because a power cut only
 * repeats the work.
 */
function createIngestSteps(
  { store, clock, log }: Pick<Daemon, 'store' | 'clock' | 'log'>,
  id: string,
): IngestSteps {
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
      // The reading may have reached another step while this write was queued.
      if (present?.step === step) await documents.advance(id, change)
    })
    written.catch(error => log.warn({ err: error, document: id }, 'document status not saved'))
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
