import { AppError } from '../../../contract/ground/errors.js'
import { inSlices, turnAfter } from '../../../lib/concurrency/every-few-ms.js'
import { quoted } from '../../../lib/text/clip.js'
import { checked } from './checked-reading.js'
import { charsetOf } from './decode-text.js'
import { type Extraction, failed, type Reading } from './extraction.js'
import { type OpenBytes, openBytes } from './open-bytes.js'
import { readJson } from './read-json.js'
import { readText } from './read-text.js'
import { createReadingQueue, type ReadingQueue, type ReadingQueueOptions } from './reading-queue.js'
import { type NamedSource, sourceFormat } from './source-format.js'

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
