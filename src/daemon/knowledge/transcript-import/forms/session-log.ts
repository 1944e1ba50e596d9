import { StringDecoder } from 'node:string_decoder'
import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { PackedFault, unpacked } from '../../../../lib/files/unpacked.js'
import { uuid } from '../../../../lib/text/uuid.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { readTranscript } from '../../../sessions/transcripts/readers/read-transcript.js'
import { withoutPictures } from '../../../sessions/transcripts/readers/without-pictures.js'
import { maxFileBytes } from '../../../sessions/transcripts/transcript-file.js'
import type { FileAdapter, ImportedMessage, RecordResult, WholeFile } from './adapter.js'
import { assertWithinLimits, keyIn, projectIn, RejectedRecord } from './json-record.js'
import { maxRecordBytes } from './raw-record.js'

/** Enough of most logs to identify their program, session and folder. */
const headLength = 256 * 1024
/** A first prompt as long as this still comes before them; longer lines are not read. */
const maxHeadLength = 8 * 1024 * 1024

/** The beginning of a log. */
export interface LogHead {
  /**
   * Returns the first string value of a field; undefined if there is none. Lines are not parsed, because they
   * may be very long or incomplete.
   */
  field(name: string): string | undefined
  /** True if the pattern matches. */
  has(pattern: RegExp): boolean
}

interface SessionLog {
  name: ImportAdapter
  /** Display name of the program. */
  product: string
  /** Returns the session key and working folder; undefined if another program wrote the file. */
  describe(head: LogHead): LogDescription | undefined
}

interface LogDescription {
  key: string | undefined
  /** Null if the program writes none. */
  cwd: string | null | undefined
}

/**
 * Creates an adapter for a harness's session logs with one session per file, read in the same way as
 * captures.
 */
export function sessionLogs({ name, product, describe }: SessionLog): FileAdapter {
  const read = async (file: WholeFile, budget: LoopBudget): Promise<RecordResult> => {
    const decoded = decodedPieces(file.bytes)
    const { said, pieces } = await readHead(decoded, describe)
    if (!said) {
      await decoded.return(undefined)
      throw new RejectedRecord('unknown_shape', `its beginning does not look like a log of ${product}`)
    }
    const messages = await collectMessages(readTranscript(pieces, budget))
    const cwd = projectIn(said.cwd ?? file.folder)
    const capturedAt = messages.findLast(({ at }) => at !== null)?.at ?? null
    // Prefers the session in the file name: a log that continues another session may begin with lines of that
    // one.
    const sessionKey = sessionKeyOf(keyIn(uuid.exec(file.name)?.[0] ?? said.key))
    return { conversation: { sessionKey, harness: name, project: null, cwd, capturedAt, messages } }
  }
  return {
    name,
    version: 1,
    readFile: (file, budget) =>
      read(file, budget).catch((error: unknown) => {
        if (error instanceof PackedFault) return { rejection: 'record_too_large', detail: error.message }
        if (!(error instanceof RejectedRecord)) throw error
        return { rejection: error.reason, ...(error.detail !== undefined && { detail: error.detail }) }
      }),
  }
}

/** @throws RejectedRecord for a conversation above the size limit of a record */
async function collectMessages(source: AsyncIterable<ImportedMessage>): Promise<readonly ImportedMessage[]> {
  const messages: ImportedMessage[] = []
  let bytes = 0
  for await (const message of source) {
    messages.push(message)
    bytes += Buffer.byteLength(message.text)
    if (bytes > maxRecordBytes) throw new RejectedRecord('record_too_large')
  }
  return assertWithinLimits(messages)
}

/** Reads the beginning until it names all, since a long first prompt comes before the fields of its line. */
async function readHead(
  decoded: AsyncGenerator<string>,
  describe: SessionLog['describe'],
): Promise<{ said: LogDescription | undefined; pieces: AsyncGenerator<string> }> {
  let head = ''
  let said: LogDescription | undefined
  for (let wanted = headLength, isOver = false; !isOver && wanted <= maxHeadLength; wanted *= 2) {
    while (head.length < wanted && !isOver) {
      const { value, done } = await decoded.next()
      isOver = done === true
      head += value ?? ''
    }
    said = describe(headOf(head))
    if (said?.key !== undefined && said.cwd !== undefined) break
  }
  const pieces = async function* (): AsyncGenerator<string> {
    yield head
    yield* decoded
  }
  return { said, pieces: pieces() }
}

function decodedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  const texts = async function* (): AsyncGenerator<string> {
    for await (const piece of unpacked(source, maxFileBytes)) yield decoder.write(piece)
    yield decoder.end()
  }
  return withoutPictures(texts())
}

function headOf(text: string): LogHead {
  return {
    field: name => {
      const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, 'u').exec(text)?.[1]
      return found === undefined ? undefined : (JSON.parse(found) as string)
    },
    has: pattern => pattern.test(text),
  }
}
