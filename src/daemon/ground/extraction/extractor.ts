import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import { inSlices, turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { quoted } from '../../../lib/text/clip.js'
import { checked } from './checked-reading.js'
import { pieceBytes } from './child-messages.js'
import { charsetOf, readText } from './decode-text.js'
import { type Extraction, failed, type Reading } from './extraction.js'
import { readJson } from './read-json.js'
import { createReadingQueue, type ReadingQueue, type ReadingQueueOptions } from './reading-queue.js'
import { headBytes, type NamedSource, sourceFormat } from './source-format.js'

export type ExtractRequest = NamedSource & {
  /** Ends it: the promise then rejects with the signal's reason. */
  signal?: AbortSignal
} & ({ path: string } | { bytes: Uint8Array })

export interface Extractor {
  /**
   * The text of a file as Markdown. The caller has looked at the size, and whether the path may be read.
   * @throws AppError `overloaded` when too many wait; the signal's reason.
   */
  extract(request: ExtractRequest): Promise<Extraction>
  /** Whether anything is being read, or waits for it. */
  isBusy(): boolean
  /** Ends what is being read. What waits rejects with AppError `overloaded`. */
  close(): Promise<void>
}

/** JSON of this size is parsed in the daemon in about 10 ms; parsing cannot be cut into slices. */
const maxJsonBytes = 1024 * 1024

/**
 * Reads documents (documents.md#what-can-be-read). Text, Markdown and small JSON are read here, in slices: nothing but
 * their size decides what that costs. All else is read in a child process, one file after another.
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
      return failed(reading.reason, `${quoted(fileName)} was not read: ${reading.message}`)
    return { ...reading, bytes: file.size, durationMs: Math.round(performance.now() - startedAt) }
  } catch (error) {
    if (signal?.aborted || error instanceof AppError) throw error
    return failed('unreadable', `${quoted(fileName)} could not be opened: ${(error as Error).message}`)
  } finally {
    await file?.close()
  }
}

async function read(queue: ReadingQueue, request: ExtractRequest, file: OpenBytes): Promise<Reading> {
  const { fileName, contentType, signal } = request
  if (file.size === 0) return failed('empty', 'it is empty')
  const source = sourceFormat(file.head, request)
  if (source === 'binary') return failed('unsupported', 'it is neither text nor a document that can be read')
  if (source === 'text' || source === 'markdown' || (source === 'json' && file.size <= maxJsonBytes))
    return readHere(source, file, request)
  return queue.read({ source, fileName, contentType }, file.pieces(), signal)
}

async function readHere(
  source: 'text' | 'markdown' | 'json',
  file: OpenBytes,
  { contentType, signal }: ExtractRequest,
): Promise<Reading> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.pieces()) {
    signal?.throwIfAborted()
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
  return checked(reading)
}

/** The bytes of a file, or some that are in memory, as pieces of at most 256 KiB. */
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
  return 'bytes' in from ? inMemory(from.bytes) : onDisk(await open(from.path))
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
