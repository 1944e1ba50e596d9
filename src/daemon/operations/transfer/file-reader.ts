import { availableParallelism } from 'node:os'
import { Worker as Thread } from 'node:worker_threads'
import { AppError } from '../../../contract/ground/errors.js'
import { maxLineBytes } from '../../../lib/lines.js'
import { threadUrl } from '../../../lib/thread-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { createRestingThread, type RestingThread } from '../../platform/threads/resting-thread.js'
import {
  type BlockReader,
  createBlockReader,
  type NumberedLine,
  type ReadBlock,
  type StoredMemories,
} from './read-block.js'

const threadModule = { from: import.meta.url, source: './import-thread.ts', bundle: './import-thread.js' }

/** So much of a file is read here: a small one is not worth the start of a thread. */
const bytesHere = 256 * 1024
/** Blocks, or bytes of them, that are read before they are asked for. */
const blocksAhead = 3
const bytesAhead = 1024 * 1024
const lineEnd = 10

const kept = keptByDaemon<RestingThread | undefined>()

/** Keeps the thread that reads large files for imports, and ends it with the daemon. With a single core there is none. */
export function createImportThread(daemon: Daemon): Worker {
  const thread = createRestingThread({
    start: () => new Thread(threadUrl(threadModule), { workerData: daemon.paths.database }),
    of: 'imports',
    log: daemon.log,
  })
  if (availableParallelism() > 1) kept.keep(daemon, thread)
  return { start: () => undefined, close: thread.close }
}

/**
 * The lines of a file, read and judged: those of a large one in the thread of imports, unless a full disk leaves the file
 * of the store to one connection.
 */
export function readFileLines(
  deps: Pick<Daemon, 'store' | 'log'>,
  content: AsyncIterable<Buffer>,
  breathe: () => Promise<void> | undefined,
): AsyncGenerator<NumberedLine[]> {
  const thread = deps.store.isAlone() ? undefined : kept.ifKept(deps)
  return linesAhead(content, readerWith({ ...deps, thread, breathe }))
}

interface Reading extends Pick<Daemon, 'log'> {
  thread: Pick<RestingThread, 'ask'> | undefined
  store: { tables: { transfer: StoredMemories } }
  breathe: () => Promise<void> | undefined
}

/** Reads the beginning of a file here and the rest in the thread, if there is one; if it breaks, that here too. */
export function readerWith({ thread, store, breathe, log }: Reading): BlockReader {
  const readHere = createBlockReader(store.tables.transfer)
  const state = { thread, bytes: 0 }
  return async block => {
    state.bytes += block.length
    if (state.bytes <= bytesHere || !state.thread) return readHere(block, breathe)
    try {
      return (await state.thread.ask('read', [block])) as ReadBlock
    } catch (error) {
      if (error instanceof AppError) throw error
      log.warn({ err: error }, 'the thread of imports broke: the rest of the file is read without it')
      state.thread = undefined
      return readHere(block, breathe)
    }
  }
}

interface Ahead {
  read: Promise<ReadBlock>
  bytes: number
}

/** The lines of a file in their order, some at once, numbered from its start, and read a little before somebody takes them. */
export async function* linesAhead(
  content: AsyncIterable<Buffer>,
  read: BlockReader,
): AsyncGenerator<NumberedLine[]> {
  const ahead: Ahead[] = []
  const isFull = () =>
    ahead.length > blocksAhead || ahead.reduce((sum, { bytes }) => sum + bytes, 0) > bytesAhead
  let before = 0
  const first = async (): Promise<NumberedLine[]> => {
    const { lines, ends } = await (ahead.shift() as Ahead).read
    for (const line of lines) line.number += before
    before += ends
    return lines
  }
  for await (const block of blocksOf(content)) {
    const reading = read(block)
    // Whoever takes it hears of it.
    reading.catch(() => undefined)
    ahead.push({ read: reading, bytes: block.length })
    while (isFull()) yield await first()
  }
  while (ahead.length > 0) yield await first()
}

/** A stream in blocks of whole lines, about as it comes; a line that is too long is a block that has no end. */
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
