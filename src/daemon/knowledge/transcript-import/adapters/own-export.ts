import { isRecord } from '../../../../lib/text/json-of.js'
import { sessionKeyOf } from '../../../ground/sessions/session-key.js'
import {
  type Conversation,
  type ImportedMessage,
  type ImportedRole,
  importedRoles,
  type RawRecord,
  type RecordAdapter,
  RecordBytes,
  type RecordOffset,
} from '../forms/adapter.js'
import {
  describeValue,
  fieldOf,
  instantIn,
  type JsonObject,
  keyIn,
  keyOfContent,
  projectIn,
  RejectedRecord,
  readExactly,
} from '../forms/json-record.js'

const newline = 10

/** Space, tab, carriage return, and the bytes of a byte order mark. */
const blank = new Set([32, 9, 13, 0xef, 0xbb, 0xbf])

/** An export of this service: one conversation per line (imports.md#export). */
export const serviceExport: RecordAdapter = {
  name: 'service-export',
  version: 1,
  framing: lineRecords,
  read: bytes => readExactly(bytes, conversationIn),
}

const keyFields = [
  'sessionKey',
  'session_key',
  'sessionId',
  'session_id',
  'conversationId',
  'conversation_id',
  'id',
]
const countFields = ['messageCount', 'message_count', 'count']
const endFields = ['capturedAt', 'captured_at', 'endedAt', 'ended_at', 'updatedAt', 'updated_at', 'timestamp']
const startFields = ['startedAt', 'started_at', 'createdAt', 'created_at']
const messageTimes = ['at', 'timestamp', 'createdAt', 'created_at']

function conversationIn(record: JsonObject): Conversation {
  const { source = 'service', version = 1 } = record
  if (source !== 'service')
    throw new RejectedRecord('unknown_source', `the source is ${describeValue(source)}, not "service"`)
  if (version !== 1)
    throw new RejectedRecord('unknown_source', `the version is ${describeValue(version)}, not 1`)
  const messages = messagesIn(record)
  const started = instantIn(fieldOf(record, startFields))
  const ended = instantIn(fieldOf(record, endFields))
  const key = fieldOf(record, keyFields)
  return {
    sessionKey: key === undefined ? keyOfContent(messages) : sessionKeyOf(keyIn(key)),
    harness: harnessIn(record.harness),
    project: projectIn(record.project),
    capturedAt: ended ?? messages.findLast(({ at }) => at !== null)?.at ?? started,
    messages,
  }
}

function messagesIn(record: JsonObject): ImportedMessage[] {
  const { messages } = record
  if (messages === undefined || messages === null) throw new RejectedRecord('missing_messages')
  if (!Array.isArray(messages))
    throw new RejectedRecord('missing_messages', `messages is ${describeValue(messages)}, not a list`)
  const count = fieldOf(record, countFields)
  if (count !== undefined && count !== messages.length)
    throw new RejectedRecord(
      'count_mismatch',
      `the record says ${describeValue(count)} messages and has ${messages.length}`,
    )
  return messages.map((message, at) => messageIn(message, at + 1))
}

function messageIn(message: unknown, number: number): ImportedMessage {
  if (!isRecord(message))
    throw new RejectedRecord('invalid_message', `message ${number} is ${describeValue(message)}`)
  const text = message.text ?? message.content
  if (typeof text !== 'string') throw new RejectedRecord('invalid_message', `message ${number} has no text`)
  return { role: roleIn(message.role, number), text, at: instantIn(fieldOf(message, messageTimes)) }
}

function roleIn(role: unknown, number: number): ImportedRole {
  if ((importedRoles as readonly unknown[]).includes(role)) return role as ImportedRole
  throw new RejectedRecord('unknown_role', `message ${number} has the role ${describeValue(role)}`)
}

function harnessIn(harness: unknown): string {
  if (harness === undefined || harness === null) return 'unknown'
  return keyIn(harness)
}

/** Splits a file into lines. Blank lines are skipped but counted. */
export async function* lineRecords(
  source: AsyncIterable<Buffer>,
  { bytes, number: known }: RecordOffset,
): AsyncGenerator<RawRecord> {
  const line = new RecordBytes()
  let number = known
  let end = bytes
  const taken = (): RawRecord[] => {
    const record = { number, end, bytes: line.take() }
    return record.bytes && isBlank(record.bytes) ? [] : [record]
  }
  for await (const piece of source) {
    let from = 0
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
      line.add(piece.subarray(from, at))
      end += at + 1 - from
      from = at + 1
      number++
      yield* taken()
    }
    line.add(piece.subarray(from))
    end += piece.length - from
  }
  if (line.length === 0) return
  number++
  yield* taken()
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (!blank.has(byte)) return false
  return true
}
