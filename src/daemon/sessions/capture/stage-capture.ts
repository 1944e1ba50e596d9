import type { NewChunk } from '../../../store/tables/sessions/transcript-chunks.js'
import type { NewTranscriptMessage, TranscriptRow } from '../../../store/tables/sessions/transcripts.js'
import type { Tables } from '../../../store/tables/tables.js'
import { chunksOf } from '../../ground/chunks/transcript-chunks.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { judgeChunks, type Verdict } from './judge-chunks.js'
import type { CapturePlan } from './plan-capture.js'

/** Rows and text per statement; requests wait while it runs. */
const batchRows = 50
const batchLength = 48 * 1024
const chunkRows = 100

type Deps = Pick<Daemon, 'store' | 'budget'>

/** Writes the messages of a plan after the visible ones; readers see them once the capture is shown. */
export async function stageMessages(
  { store, budget }: Deps,
  { bodyId, from, added, fingerprints }: CapturePlan,
  signal: AbortSignal,
): Promise<void> {
  let batch: NewTranscriptMessage[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    signal.throwIfAborted()
    // Not synced to disk: the transaction that shows the capture syncs it. A server that crashes may lose
    // statements outside transactions without a trace, and the capture would go on without its messages.
    await store.write({ until: 'committed' }, ({ transcripts }) => transcripts.stage(bodyId, batch))
    batch = []
    length = 0
    await budget.breathe()
  }
  for (const [offset, message] of added.entries()) {
    batch.push({ ...message, position: from + offset, fingerprint: fingerprints[offset] as string })
    length += message.text.length
    if (batch.length >= batchRows || length >= batchLength) await flush()
  }
  if (batch.length > 0) await flush()
}

type UnnumberedChunk = Omit<NewChunk, 'change'>

/** Chunks of a plan: the staged ones, and the one that replaces the last chunk of the stored part. */
export interface StagedChunks {
  /** The first new or changed chunk. */
  from: number
  /** How many of them follow it. */
  count: number
  /** Written with the final transaction, since readers see its current version until then. */
  first: UnnumberedChunk | undefined
}

/** Judges the added messages and stages their chunks. @param verdict is extended with findings. */
export async function stageChunks(
  deps: Deps,
  plan: CapturePlan,
  verdict: Verdict,
  signal: AbortSignal,
): Promise<StagedChunks> {
  const { store } = deps
  const { bodyId, extended, from, added } = plan
  const last = extended && (await store.tables.transcriptChunks.last(bodyId, extended.messages))
  const start = last?.chunk ?? 0
  await store.tables.transcriptChunks.dropFrom(bodyId, last ? start + 1 : 0)
  const before = last && extended ? await messagesFrom(deps, extended, last.first_position) : []
  const later = added.map(({ text }, offset) => ({ position: from + offset, text }))
  const chunks = chunksOf([...before, ...later], last?.first_offset)
  const judged = await judgeChunks(deps, checked(chunks, signal), verdict)
  const rows = judged.map(({ text: _text, ...chunk }, offset) => ({
    ...chunk,
    body_id: bodyId,
    chunk: start + offset,
    removed: 0,
  }))
  const first = last ? rows.shift() : undefined
  for (let at = 0; at < rows.length; at += chunkRows) {
    await store.write({ until: 'committed' }, tables => putChunks(tables, rows.slice(at, at + chunkRows)))
    await deps.budget.breathe()
  }
  return { from: start, count: rows.length, first }
}

/** Writes chunks with numbers of changes, inside a transaction: another daemon may take later ones. */
export async function putChunks(
  { meta, transcriptChunks }: Tables,
  rows: readonly UnnumberedChunk[],
): Promise<void> {
  const first = await meta.nextChanges(rows.length)
  await transcriptChunks.put(rows.map((row, offset) => ({ ...row, change: first + offset })))
}

/**
 * Makes chunks visible, in the transaction that shows their messages. Other daemons have read the staged
 * ones, so they get new numbers.
 */
export async function showChunks(
  { store }: Pick<Daemon, 'store'>,
  tables: Tables,
  bodyId: string,
  { from, count, first }: StagedChunks,
): Promise<void> {
  if (first) await putChunks(tables, [first])
  if (count === 0 || !store.changes) return
  const next = from + (first ? 1 : 0)
  await tables.transcriptChunks.renumber(bodyId, next, await tables.meta.nextChanges(count))
}

function* checked<T>(items: Iterable<T>, signal: AbortSignal): Generator<T> {
  for (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}

async function messagesFrom(
  { store }: Deps,
  transcript: TranscriptRow,
  from: number,
): Promise<{ position: number; text: string }[]> {
  const all: { position: number; text: string }[] = []
  for (let at = from; at < transcript.messages; ) {
    const page = await store.tables.transcripts.messages(transcript, at)
    if (page.length === 0) break
    all.push(...page)
    at += page.length
  }
  return all
}
