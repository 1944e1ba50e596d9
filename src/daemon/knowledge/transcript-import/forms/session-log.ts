import { StringDecoder } from 'node:string_decoder'
import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { PackedFault, unpacked } from '../../../../lib/files/unpacked.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import { uuid } from '../../../../lib/text/uuid.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { collectNewest } from '../../../sessions/capture/clean.js'
import { readTranscript } from '../../../sessions/transcripts/readers/read-transcript.js'
import { withoutPictures } from '../../../sessions/transcripts/readers/without-pictures.js'
import { maxFileBytes } from '../../../sessions/transcripts/transcript-file.js'
import {
  type LeftOut,
  leaveOut,
  type TranscriptMessage,
} from '../../../sessions/transcripts/transcript-message.js'
import { ToolLog } from '../../../sessions/work/tool-log.js'
import {
  type FileAdapter,
  type ImportedMessage,
  maxRecordBytes,
  type RecordResult,
  type WholeFile,
} from './adapter.js'
import { keyIn, maxMessages, projectIn, RejectedRecord, withinLimits } from './json-record.js'

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
    const leftOut: LeftOut = {}
    const decoded = decodedPieces(file.bytes, leftOut)
    const { said, pieces } = await readHead(decoded, describe)
    if (!said) {
      await decoded.return(undefined)
      throw new RejectedRecord('unknown_shape', `its beginning does not look like a log of ${product}`)
    }
    const cwd = projectIn(said.cwd ?? file.folder)
    const tools = new ToolLog(cwd ?? undefined)
    const source = readTranscript(pieces, budget, leftOut, true, line => tools.take(line))
    const messages = await collectMessages(source, leftOut)
    const capturedAt = messages.findLast(({ at }) => at !== null)?.at ?? null
    // Prefers the session in the file name: a log that continues another session may begin with lines of that
    // one.
    const sessionKey = sessionKeyOf(keyIn(sessionIn(file.name) ?? said.key))
    const conversation = { sessionKey, harness: name, project: null, cwd, capturedAt, messages }
    return { conversation: { ...conversation, work: tools.turns }, leftOut }
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

/** Kimi Code and Cline name sessions otherwise; the file of an import has that name before its own. */
function sessionIn(name: string): string | undefined {
  return /^(.+)_(?:wire\.jsonl|api_conversation_history\.json)/u.exec(name)?.[1] ?? uuid.exec(name)?.[0]
}

/** @throws RejectedRecord for a log without messages */
async function collectMessages(
  source: AsyncIterable<TranscriptMessage>,
  leftOut: LeftOut,
): Promise<readonly ImportedMessage[]> {
  let all = 0
  const counted = async function* (): AsyncGenerator<TranscriptMessage> {
    for await (const message of source) {
      all++
      yield message
    }
  }
  // Texts of a longer log are not held.
  const newest = await collectNewest(counted(), { maxLength: maxRecordBytes, maxMessages })
  if (newest.length < all) leaveOut(leftOut, 'old_messages', all - newest.length)
  if (newest.length === 0 && leftOut.unreadable_lines)
    throw new RejectedRecord(
      'unknown_shape',
      `${leftOut.unreadable_lines} of its lines are not JSON; \`jq -c . FILE\` puts each entry on one line`,
    )
  return withinLimits(newest, leftOut)
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

function decodedPieces(source: AsyncIterable<Buffer>, leftOut: LeftOut): AsyncGenerator<string> {
  let decoder: StringDecoder | undefined
  const texts = async function* (): AsyncGenerator<string> {
    try {
      for await (const piece of unpacked(source, maxFileBytes)) {
        // A shell of Windows writes UTF-16 when it copies a log.
        decoder ??= new StringDecoder(piece[0] === 0xff && piece[1] === 0xfe ? 'utf16le' : 'utf8')
        yield decoder.write(piece)
      }
    } catch (error) {
      if (!(error instanceof PackedFault) || error.isTooLarge) throw error
      leaveOut(leftOut, 'packed_rest')
    }
    yield decoder?.end() ?? ''
  }
  return withoutPictures(texts())
}

function headOf(text: string): LogHead {
  return {
    field: name => {
      const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\\n]|\\\\.)*")`, 'u').exec(text)?.[1]
      // A torn line may end in the middle of a value.
      const value = found === undefined ? undefined : jsonOf(found)
      return typeof value === 'string' ? value : undefined
    },
    has: pattern => pattern.test(text),
  }
}
