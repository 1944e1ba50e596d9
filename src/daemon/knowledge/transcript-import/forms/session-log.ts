import { StringDecoder } from 'node:string_decoder'
import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { uuid } from '../../../../lib/text/uuid.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import { readTranscript } from '../../../sessions/transcripts/readers/read-transcript.js'
import type { FileAdapter, ImportedMessage, Reading, WholeFile } from './adapter.js'
import { checked, keyIn, projectIn, Rejected } from './json-record.js'
import { maxRecordBytes } from './raw-record.js'

/** Enough of a log to tell what wrote it, for which session and where. */
const headLength = 256 * 1024

/** What the beginning of a log says. */
export interface LogHead {
  /** The first text of a field, without parsing lines that may be very long or torn; undefined when there is none. */
  field(name: string): string | undefined
  /** Whether a field has a text that the pattern finds. */
  has(pattern: RegExp): boolean
}

interface SessionLog {
  name: ImportAdapter
  /** What a person calls it. */
  product: string
  /** The session and the folder it worked in; undefined for a file that something else wrote. */
  describe(head: LogHead): { key: string | undefined; cwd: string | undefined } | undefined
}

/** An adapter of the logs that a harness keeps of its sessions, one a file; they are read as a capture reads them. */
export function sessionLogs({ name, product, describe }: SessionLog): FileAdapter {
  const read = async (file: WholeFile, budget: LoopBudget): Promise<Reading> => {
    const { head, pieces } = await begun(file.bytes)
    const said = describe(headOf(head))
    if (!said)
      throw new Rejected('unknown_shape', `it is no log of ${product}, as far as its beginning tells`)
    const messages = await collected(readTranscript(pieces, budget))
    const cwd = projectIn(said.cwd)
    const capturedAt = messages.findLast(({ at }) => at !== null)?.at ?? null
    // Many programs name a log by its session; a log that goes on with another one may begin with lines of that.
    const sessionKey = sessionKeyOf(keyIn(uuid.exec(file.name)?.[0] ?? said.key))
    return { conversation: { sessionKey, harness: name, project: null, cwd, capturedAt, messages } }
  }
  return {
    name,
    version: 1,
    readFile: (file, budget) =>
      read(file, budget).catch((error: unknown) => {
        if (!(error instanceof Rejected)) throw error
        return { rejection: error.reason, ...(error.detail !== undefined && { detail: error.detail }) }
      }),
  }
}

/** @throws Rejected for a conversation that is larger than a record may be. */
async function collected(source: AsyncIterable<ImportedMessage>): Promise<readonly ImportedMessage[]> {
  const messages: ImportedMessage[] = []
  let bytes = 0
  for await (const message of source) {
    messages.push(message)
    bytes += Buffer.byteLength(message.text)
    if (bytes > maxRecordBytes) throw new Rejected('record_too_large')
  }
  return checked(messages)
}

async function begun(
  source: AsyncIterable<Buffer>,
): Promise<{ head: string; pieces: AsyncGenerator<string> }> {
  const decoded = decodedPieces(source)
  let head = ''
  while (head.length < headLength) {
    const { value, done } = await decoded.next()
    if (done) break
    head += value
  }
  const pieces = async function* (): AsyncGenerator<string> {
    yield head
    yield* decoded
  }
  return { head, pieces: pieces() }
}

async function* decodedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  for await (const piece of source) yield decoder.write(piece)
  yield decoder.end()
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
