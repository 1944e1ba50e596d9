import type { ImportQuery, ImportReply } from '../../../contract/operations/transfer.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { maxLineBytes } from '../../../lib/files/lines.js'
import type { NewAgent } from '../../../store/tables/operations/transfer.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type AskTransfer, transferThread } from './ask-transfer.js'
import {
  type BlockReader,
  createBlockReader,
  type NumberedLine,
  type ParsedBlock,
  type StoredMemories,
} from './read-block.js'
import { faultyLine, type KnownEntry, type MemoryEntry, readEntries } from './read-entries.js'
import {
  type BatchResult,
  createAgentPolicies,
  type DryRunClaims,
  type Indexing,
  storeBatch,
} from './store-batch.js'

/** The first bytes of a file are read here; a small file is not worth starting the thread. */
const bytesHere = 256 * 1024
/** Blocks, or bytes of them, read in advance. */
const blocksAhead = 3
const bytesAhead = 1024 * 1024
const lineEnd = 10

/** Reads and scans the lines of a file, on the import thread if the file is large. */
function readFileLines(
  deps: Pick<Daemon, 'store' | 'log'>,
  content: AsyncIterable<Buffer>,
  breathe: () => Promise<void> | undefined,
): AsyncGenerator<NumberedLine[]> {
  return readLinesAhead(content, readerWith(transferThread(deps), deps.store, breathe))
}

/** Reads the beginning of a file here and the rest on the thread, if there is one. */
export function readerWith(
  ask: AskTransfer,
  { tables }: { tables: { transfer: StoredMemories } },
  breathe: () => Promise<void> | undefined,
): BlockReader {
  const readHere = createBlockReader(tables.transfer)
  let readBytes = 0
  return block => {
    readBytes += block.length
    const here = () => readHere(block, breathe)
    return readBytes <= bytesHere ? here() : ask('block', [block], here)
  }
}

interface PendingBlock {
  read: Promise<ParsedBlock>
  bytes: number
}

/** Yields the lines of a file in order and in groups, numbered from its start, reading slightly ahead. */
export async function* readLinesAhead(
  content: AsyncIterable<Buffer>,
  read: BlockReader,
): AsyncGenerator<NumberedLine[]> {
  const ahead: PendingBlock[] = []
  const isFull = () =>
    ahead.length > blocksAhead || ahead.reduce((sum, { bytes }) => sum + bytes, 0) > bytesAhead
  let before = 0
  const first = async (): Promise<NumberedLine[]> => {
    const { lines, ends } = await (ahead.shift() as PendingBlock).read
    for (const line of lines) line.number += before
    before += ends
    return lines
  }
  for await (const block of blocksOf(content)) {
    const reading = read(block)
    // The consumer awaits this promise later and gets the error then.
    reading.catch(() => undefined)
    ahead.push({ read: reading, bytes: block.length })
    while (isFull()) yield await first()
  }
  while (ahead.length > 0) yield await first()
}

/** Splits a stream into blocks of whole lines; an overlong line becomes a block without a line end. */
async function* blocksOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    const end = chunk.lastIndexOf(lineEnd) + 1
    if (end > 0) {
      yield Buffer.concat([...pieces, chunk.subarray(0, end)])
      pieces = []
      bytes = 0
    }
    if (end === chunk.length) continue
    pieces.push(chunk.subarray(end))
    bytes += chunk.length - end
    if (bytes > maxLineBytes) break
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}

/** Memories per transaction: larger batches change the same pages, smaller ones let requests in sooner. */
const smallestBatch = 100
const largestBatch = 400
/** Time of a batch that is larger than the smallest; all are small until no request came for `aloneMs`. */
const batchMs = 30
const aloneMs = 500
/** Characters of the lines of one batch. */
const batchLength = 256 * 1024
/**
 * A batch waits this long for running requests, since its transaction would delay each of their statements.
 */
const longestWaitMs = 20
/** Limit of listed items; the counts continue. */
const maxListed = 100

const advice =
  'earlier lines are stored, later ones were not read: fix the file and import it again, known ids are skipped'

/** Entries of the next batch. */
interface Pending {
  entries: (MemoryEntry | KnownEntry)[]
  agents: NewAgent[]
  /** Characters of the entries. */
  length: number
  /** Entries with which the batch is complete. */
  size: number
}

type Deps = Pick<
  Daemon,
  'store' | 'index' | 'wake' | 'clock' | 'newId' | 'configuration' | 'requestsInFlight' | 'log' | 'projects'
>

/**
 * Stores an export with its ids, history and times, one batch per transaction. Existing memories stay
 * unchanged; faulty lines are skipped and listed. Vectors are made later.
 * @throws AppError `validation_failed` for a file that is not an export or not text, `mutations_frozen`;
 * earlier batches are kept
 */
export async function importMemories(
  deps: Deps,
  caller: Caller,
  { dryRun, lineOffset }: ImportQuery,
  content: AsyncIterable<Buffer>,
): Promise<ImportReply> {
  const reply = emptyReply(dryRun)
  const budget = new LoopBudget()
  const policies = createAgentPolicies(deps.store)
  // A dry run stores nothing, so it remembers what earlier batches would have stored.
  const claims: DryRunClaims | undefined = dryRun ? { ids: new Set(), claimants: new Map() } : undefined
  const indexing: Indexing = { last: Promise.resolve() }
  const pending: Pending = { entries: [], agents: [], length: 0, size: smallestBatch }
  const flush = async (): Promise<void> => {
    const { entries, agents } = pending
    if (entries.length === 0 && agents.length === 0) return
    await deps.requestsInFlight.quiet(AbortSignal.timeout(longestWaitMs))
    if (!dryRun) assertNotFrozen(deps)
    const isAlone = deps.requestsInFlight.quietMs() >= aloneMs
    const started = performance.now()
    add(reply, await storeBatch(deps, caller, { entries, agents, policies, claims, budget, indexing }))
    // A recall would wait for the rows that the index still has to read.
    if (!isAlone) await indexing.last
    const size = isAlone ? fitting(entries.length, performance.now() - started) : smallestBatch
    Object.assign(pending, { entries: [], agents: [], length: 0, size })
  }
  const onFault = (line: number, message: string): void => {
    reply.faulty++
    if (reply.faults.length < maxListed) reply.faults.push({ line, message })
  }
  try {
    const lines = readFileLines(deps, content, () => budget.breathe())
    for await (const entry of readEntries(lines, { lineOffset, onFault })) {
      const pause = budget.breathe()
      if (pause) await pause
      if (entry.kind === 'end') reply.complete = true
      else if (entry.kind === 'unreadable') {
        onFault(entry.line, entry.message)
        if (dryRun) break
        await flush()
        throw faultyLine(entry.line, entry.message, advice)
      } else if (entry.kind === 'agent') pending.agents.push(policies.learn(entry.agent, deps.clock()))
      else {
        pending.entries.push(entry)
        pending.length += entry.size
      }
      if (isFull(pending)) await flush()
    }
    await flush()
  } finally {
    // Batches must be on disk before the client learns of them, even when the import fails.
    if (reply.memories > 0 && !dryRun) await deps.store.sync()
    await indexing.last
    if (reply.imported > 0 && !dryRun) deps.wake(embedJob)
  }
  return reply
}

/** @returns the entries of a batch that takes about `batchMs`, as a stored one took `ms` */
function fitting(entries: number, ms: number): number {
  return Math.max(smallestBatch, Math.min(largestBatch, Math.floor((entries * batchMs) / ms)))
}

function isFull({ entries, agents, length, size }: Pending): boolean {
  return entries.length >= size || agents.length >= size || length >= batchLength
}

function emptyReply(dryRun: boolean): ImportReply {
  return {
    dryRun,
    memories: 0,
    imported: 0,
    skipped: 0,
    duplicates: 0,
    duplicateOf: [],
    unsafe: 0,
    events: 0,
    complete: false,
    faulty: 0,
    faults: [],
  }
}

function add(reply: ImportReply, batch: BatchResult): void {
  reply.memories += batch.memories
  reply.imported += batch.imported
  reply.skipped += batch.skipped
  reply.duplicates += batch.duplicateOf.length
  reply.duplicateOf.push(...batch.duplicateOf.slice(0, maxListed - reply.duplicateOf.length))
  reply.unsafe += batch.unsafe
  reply.events += batch.events
}
