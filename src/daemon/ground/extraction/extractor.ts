import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { inSlices, turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { hasByteOrderMark, holdsBinaryByte } from '../../../lib/files/is-binary.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import { quoted } from '../../../lib/text/clip.js'
import { type ChildEntry, reuseUntilIdle } from '../../../lib/threads/own-child.js'
import { pieceBytes } from './child-messages.js'
import { charsetOf, checkReading, readText } from './decode-text.js'
import { type Extraction, extractionFailure, type ReadingResult } from './extraction.js'
import { guessUtf16 } from './guess-charset.js'
import { readJson } from './read-json.js'
import type { FencedSource } from './read-source.js'
import { defaultChild, startReadingChild } from './reading-child.js'
import { headBytes, type NamedSource, sourceFormat } from './source-format.js'

export type ExtractRequest = NamedSource & {
  /** Cancels the extraction: the promise rejects with the signal's reason. */
  signal?: AbortSignal
} & ({ path: string } | { bytes: Uint8Array })

export interface Extractor {
  /**
   * Extracts the text of a file as Markdown. The caller must have checked the size and its right to read the
   * path.
   * @throws AppError `overloaded` when the queue is full; the signal's reason when cancelled.
   */
  extract(request: ExtractRequest): Promise<Extraction>
  /** True if any file is being read or queued. */
  isBusy(): boolean
  /** Cancels the current file; queued ones reject with AppError `overloaded`. */
  close(): Promise<void>
}

const notText = extractionFailure('unsupported', 'it is neither text nor a supported document format')

/** Parsing cannot be sliced; JSON of this size takes about 10 ms in the daemon. */
const maxJsonBytes = 1024 * 1024

export interface ReadingQueueOptions {
  /** The child exits after this time without a file; default one minute. */
  idleMs?: number
  /** CPU time limit for a file; default 30 s. */
  processorMs?: number
  /** Elapsed time after which a file fails, including waits for the CPU; default 5 minutes. */
  clockMs?: number
  /** Maximum number of files waiting; default 64. */
  maxWaiting?: number
  child?: ChildEntry
  /** Called for each child that is started. */
  onStart?(pid: number | undefined): void
}

interface ReadingQueue {
  /**
   * Reads a file in the child after those queued before it. A file that kills the child fails; the next one
   * gets a new child.
   * @throws AppError `overloaded` when the queue is full or closed; the signal's reason when cancelled.
   */
  read(
    source: Omit<FencedSource, 'bytes'>,
    bytes: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<ReadingResult>
  /** Kills the child and its current file; queued files are rejected. */
  close(): Promise<void>
}

/**
 * Reads documents (documents.md#what-can-be-read). Text, Markdown and small JSON are read here in slices,
 * since their cost grows only with their size. All other formats are read in a child process, one file at a
 * time.
 */
export function createExtractor(options: ReadingQueueOptions = {}): Extractor {
  const queue = createReadingQueue(options)
  let reading = 0
  return {
    extract: async request => {
      reading++
      try {
        return await extract(queue, request)
      } finally {
        reading--
      }
    },
    isBusy: () => reading > 0,
    close: queue.close,
  }
}

async function extract(queue: ReadingQueue, request: ExtractRequest): Promise<Extraction> {
  const startedAt = performance.now()
  const { fileName, signal } = request
  signal?.throwIfAborted()
  let file: OpenBytes | undefined
  try {
    file = await openBytes(request)
    const reading = await read(queue, request, file)
    if (reading.status === 'failed')
      return extractionFailure(reading.reason, `${quoted(fileName)} was not read: ${reading.message}`)
    return { ...reading, bytes: file.size, durationMs: Math.round(performance.now() - startedAt) }
  } catch (error) {
    if (signal?.aborted || error instanceof AppError) throw error
    return extractionFailure(
      'unreadable',
      `${quoted(fileName)} could not be opened: ${(error as Error).message}`,
    )
  } finally {
    await file?.close()
  }
}

async function read(queue: ReadingQueue, request: ExtractRequest, file: OpenBytes): Promise<ReadingResult> {
  const { fileName, contentType, signal } = request
  if (file.size === 0) return extractionFailure('empty', 'it is empty')
  const source = sourceFormat(file.head, request)
  if (source === 'binary') return notText
  if (source === 'text' || source === 'markdown' || (source === 'json' && file.size <= maxJsonBytes))
    return readHere(source, file, request)
  return queue.read({ source, fileName, contentType }, file.pieces(), signal)
}

async function readHere(
  source: 'text' | 'markdown' | 'json',
  file: OpenBytes,
  { contentType, signal }: ExtractRequest,
): Promise<ReadingResult> {
  const pieces: Uint8Array[] = []
  const isWide = hasByteOrderMark(file.head) || guessUtf16(file.head) !== undefined
  for await (const piece of file.pieces()) {
    signal?.throwIfAborted()
    if (!isWide && holdsBinaryByte(piece)) return notText
    pieces.push(piece)
  }
  const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
  const charset = charsetOf(contentType)
  const reading = await inSlices(
    source === 'json' ? readJson(bytes, charset) : readText(bytes, source, charset),
  )
  signal?.throwIfAborted()
  if (reading.status === 'failed') return reading
  await turnAfter(reading.markdown)
  return checkReading(reading)
}

/** The bytes of a file or buffer, in pieces of at most 256 KiB. */
interface OpenBytes {
  size: number
  head: Uint8Array
  pieces(): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

/**
 * @throws the file system's error when the file cannot be opened; TypeError when it is not a regular file.
 */
async function openBytes(from: { path: string } | { bytes: Uint8Array }): Promise<OpenBytes> {
  return 'bytes' in from ? inMemory(from.bytes) : onDisk(await openForeign(from.path))
}

function inMemory(bytes: Uint8Array): OpenBytes {
  return {
    size: bytes.length,
    head: bytes.subarray(0, headBytes),
    async *pieces() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
    },
    close: async () => undefined,
  }
}

async function onDisk(file: FileHandle): Promise<OpenBytes> {
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new TypeError('it is not a regular file')
    const head = await readAt(file, 0, headBytes)
    return {
      // Bytes appended while it is read are left for the next time.
      size: stat.size,
      head,
      async *pieces() {
        for (let at = 0; at < stat.size; ) {
          const piece = await readAt(file, at, Math.min(pieceBytes, stat.size - at))
          if (piece.length === 0) return
          yield piece
          at += piece.length
        }
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Queues files for the one child process, which is started on demand and ended when idle. */
function createReadingQueue(options: ReadingQueueOptions): ReadingQueue {
  const { processorMs = 30_000, clockMs = 300_000, maxWaiting = 64 } = options
  const { child: entry = defaultChild(), idleMs = 60_000, onStart } = options
  const children = reuseUntilIdle(() => {
    const child = startReadingChild(entry)
    onStart?.(child.pid)
    return child
  }, idleMs)
  const inLine = oneAtATime()
  const life = { closed: false, waiting: 0 }
  const readNow: ReadingQueue['read'] = async (source, bytes, signal) => {
    if (life.closed) throw stopping()
    signal?.throwIfAborted()
    try {
      const reading = await children.take().read({ ...source, processorMs }, bytes, { clockMs, signal })
      if (life.closed) throw stopping()
      return reading
    } finally {
      children.release()
    }
  }
  return {
    read: async (source, bytes, signal) => {
      if (life.waiting > maxWaiting)
        throw new AppError('overloaded', `${maxWaiting} documents are already queued; try again in a minute`)
      life.waiting++
      try {
        // A cancelled file leaves the queue at once instead of waiting its turn.
        return await unlessAborted(
          inLine(() => readNow(source, bytes, signal)),
          signal,
        )
      } finally {
        life.waiting--
      }
    },
    close: async () => {
      life.closed = true
      children.end()
      await inLine(async () => undefined)
    },
  }
}

const stopping = (): AppError =>
  new AppError('overloaded', 'the daemon is stopping; try again when it is running')
