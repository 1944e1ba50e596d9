import { createHash } from 'node:crypto'
import { timestamp } from '../../../../contract/ground/fields.js'
import type { RejectionReason } from '../../../../contract/knowledge/imports.js'
import { clip } from '../../../../lib/text/clip.js'
import { isRecord } from '../../../../lib/text/json-of.js'
import { type LeftOut, leaveOut } from '../../../sessions/transcripts/transcript-message.js'
import { type Conversation, type ImportedMessage, maxRecordBytes, type RecordResult } from './adapter.js'

/** Maximum text of a message, in bytes of UTF-8. */
export const maxMessageBytes = 4 * 1024 * 1024
export const maxMessages = 50_000
const maxKeyLength = 255
const maxProjectLength = 4096

/** Rejects a record; `detail` describes its shape but never quotes a conversation. */
export class RejectedRecord extends Error {
  constructor(
    readonly reason: RejectionReason,
    readonly detail?: string,
  ) {
    super(detail ?? reason)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Parses a record of our own export with `read`, and converts its `RejectedRecord` to a rejection. One wrong
 * field rejects it, because its program can send it again.
 */
export function readExactly(bytes: Buffer, read: (value: JsonObject) => Conversation): RecordResult {
  return orRejection(() => {
    const conversation = read(objectOf(exactTextOf(bytes)))
    return { conversation: { ...conversation, messages: assertWithinLimits(conversation.messages) } }
  })
}

/**
 * Parses a record of another program with `read`. One odd message costs no conversation: `read` keeps what it
 * understands and counts the rest. Records of another kind are rejected.
 */
export function readJson(
  bytes: Buffer,
  read: (value: JsonObject, leftOut: LeftOut) => Conversation,
): RecordResult {
  return orRejection(() => {
    const leftOut: LeftOut = {}
    const conversation = read(objectOf(textOf(bytes, leftOut)), leftOut)
    return {
      conversation: { ...conversation, messages: withinLimits(conversation.messages, leftOut) },
      leftOut,
    }
  })
}

function orRejection(read: () => RecordResult): RecordResult {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RejectedRecord)) throw error
    return { rejection: error.reason, ...(error.detail !== undefined && { detail: error.detail }) }
  }
}

function objectOf(text: string): JsonObject {
  const value = parseJson(text)
  if (!isRecord(value))
    throw new RejectedRecord('malformed_json', `the record is ${kindOf(value)}, not an object`)
  return value
}

function exactTextOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new RejectedRecord('invalid_encoding')
  }
}

function textOf(bytes: Buffer, leftOut: LeftOut): string {
  try {
    return decoder.decode(bytes)
  } catch {
    leaveOut(leftOut, 'bad_characters')
    return bytes.toString('utf8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RejectedRecord('malformed_json')
  }
}

/** @throws RejectedRecord for messages outside the limits */
export function assertWithinLimits(messages: readonly ImportedMessage[]): readonly ImportedMessage[] {
  if (messages.length === 0) throw new RejectedRecord('missing_messages')
  if (messages.length > maxMessages)
    throw new RejectedRecord('too_many_messages', `the record has ${messages.length} messages`)
  // A UTF-16 unit takes at most three bytes.
  for (const [at, { text }] of messages.entries())
    if (text.length * 3 > maxMessageBytes && Buffer.byteLength(text) > maxMessageBytes)
      throw new RejectedRecord('message_too_large', `message ${at + 1} has ${Buffer.byteLength(text)} bytes`)
  return messages
}

/**
 * Cuts messages that are too long, and leaves out the first ones of a conversation that is too long.
 * @throws RejectedRecord for a conversation without messages
 */
export function withinLimits(
  messages: readonly ImportedMessage[],
  leftOut: LeftOut,
): readonly ImportedMessage[] {
  const kept: ImportedMessage[] = []
  let bytes = 0
  for (const message of messages.toReversed()) {
    const text = cut(message.text, leftOut)
    bytes += Buffer.byteLength(text)
    if (kept.length > 0 && (bytes > maxRecordBytes || kept.length === maxMessages)) break
    kept.push(text === message.text ? message : { ...message, text })
  }
  if (kept.length < messages.length) leaveOut(leftOut, 'old_messages', messages.length - kept.length)
  if (kept.length === 0) throw new RejectedRecord('missing_messages')
  return kept.reverse()
}

function cut(text: string, leftOut: LeftOut): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxMessageBytes || Buffer.byteLength(text) <= maxMessageBytes) return text
  leaveOut(leftOut, 'cut_messages')
  const rest = Buffer.from(text).subarray(0, maxMessageBytes).toString('utf8')
  return rest.replace(/\ufffd$/u, '')
}

/** Lists the names of a record's first fields for diagnosis. */
export function fieldsOf(record: JsonObject): string {
  return Object.keys(record).slice(0, 8).map(describeValue).join(', ') || 'none'
}

/** Returns the first of the named fields that is present and not null. */
export function fieldOf(record: JsonObject, names: readonly string[]): unknown {
  for (const name of names) if (record[name] !== undefined && record[name] !== null) return record[name]
  return undefined
}

/**
 * Returns an ISO time; null if missing.
 * @throws RejectedRecord `invalid_timestamp`
 */
export function instantIn(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const time = timestamp.safeParse(value)
  if (time.success) return time.data
  throw new RejectedRecord('invalid_timestamp', `${describeValue(value)} is not an ISO 8601 time`)
}

/** Converts an ISO time, or seconds since the epoch; null if missing, or if unreadable, which is counted. */
export function timeIn(value: unknown, leftOut: LeftOut): string | null {
  if (value === undefined || value === null || value === '') return null
  const seconds = typeof value === 'number' || /^\d{9,10}(?:\.\d+)?$/u.test(String(value))
  const time = seconds ? new Date(Number(value) * 1000) : undefined
  if (time && !Number.isNaN(time.getTime())) return time.toISOString()
  const iso = timestamp.safeParse(value)
  if (iso.success) return iso.data
  leaveOut(leftOut, 'odd_times')
  return null
}

/**
 * Returns the key of a conversation.
 * @throws RejectedRecord `invalid_identity`
 */
export function keyIn(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : undefined
  if (key && key.length <= maxKeyLength && key.isWellFormed() && !key.includes('\0')) return key
  throw new RejectedRecord('invalid_identity', `the name of the conversation is ${describeValue(value)}`)
}

/** Returns the key of a conversation; one without a name gets a stable key from its content. */
export function keyOr(value: unknown, messages: readonly ImportedMessage[]): string {
  try {
    return keyIn(typeof value === 'number' ? String(value) : value)
  } catch (error) {
    if (error instanceof RejectedRecord) return keyOfContent(messages)
    throw error
  }
}

/** Derives a stable key from the content of a conversation without a name. */
export function keyOfContent(messages: readonly ImportedMessage[]): string {
  const hash = createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 32)
  return `import-${hash}`
}

/**
 * Returns a project; null if missing.
 * @throws RejectedRecord `unknown_shape`
 */
export function projectIn(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const project = typeof value === 'string' ? value.trim() : undefined
  if (project && project.length <= maxProjectLength && project.isWellFormed() && !project.includes('\0'))
    return project
  throw new RejectedRecord('unknown_shape', `the project is ${describeValue(value)}`)
}

/** Describes a value in a rejection: short strings and numbers literally, anything else by its type. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(clip(value, 60))
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : value === undefined ? 'missing' : `a ${typeof value}`
}
