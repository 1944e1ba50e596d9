import { timestamp } from '../../../../contract/ground/fields.js'
import type { RejectionReason } from '../../../../contract/knowledge/imports.js'
import { clip } from '../../../../lib/text/clip.js'
import { isRecord } from '../../../../lib/text/is-record.js'
import type { Conversation, ImportedMessage, Reading } from './adapter.js'

/** Largest text of a message, in bytes of UTF-8. */
export const maxMessageBytes = 4 * 1024 * 1024
/** Most messages of a record. */
export const maxMessages = 50_000
const maxKeyLength = 255
const maxProjectLength = 4096

/** A record that is not taken; `detail` says what was seen, without what was said. */
export class Rejected extends Error {
  constructor(
    readonly reason: RejectionReason,
    readonly detail?: string,
  ) {
    super(detail ?? reason)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export type JsonObject = Readonly<Record<string, unknown>>

/** Reads a record of JSON by `read`, whose `Rejected` becomes its rejection. */
export function readJson(bytes: Buffer, read: (value: JsonObject) => Conversation): Reading {
  try {
    const conversation = read(objectOf(bytes))
    return { conversation: { ...conversation, messages: checked(conversation.messages) } }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    return { rejection: error.reason, ...(error.detail !== undefined && { detail: error.detail }) }
  }
}

function objectOf(bytes: Buffer): JsonObject {
  const value = parsed(textOf(bytes))
  if (!isRecord(value)) throw new Rejected('malformed_json', `the record is ${kindOf(value)}, not an object`)
  return value
}

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Rejected('invalid_encoding')
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Rejected('malformed_json')
  }
}

/** @throws Rejected for messages outside the limits. */
export function checked(messages: readonly ImportedMessage[]): readonly ImportedMessage[] {
  if (messages.length === 0) throw new Rejected('missing_messages')
  if (messages.length > maxMessages)
    throw new Rejected('too_many_messages', `the record has ${messages.length} messages`)
  // A UTF-16 unit is three bytes at most.
  for (const [at, { text }] of messages.entries())
    if (text.length * 3 > maxMessageBytes && Buffer.byteLength(text) > maxMessageBytes)
      throw new Rejected('message_too_large', `message ${at + 1} has ${Buffer.byteLength(text)} bytes`)
  return messages
}

/** The names of the first fields of a record, for those who wonder what it is. */
export function fieldsOf(record: JsonObject): string {
  return Object.keys(record).slice(0, 8).map(seen).join(', ') || 'none'
}

/** The first field of some that is there and not null. */
export function fieldOf(record: JsonObject, names: readonly string[]): unknown {
  for (const name of names) if (record[name] !== undefined && record[name] !== null) return record[name]
  return undefined
}

/** An ISO time; null when there is none. @throws Rejected `invalid_timestamp` */
export function instantIn(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const time = timestamp.safeParse(value)
  if (time.success) return time.data
  throw new Rejected('invalid_timestamp', `${seen(value)} is no ISO 8601 time`)
}

/** A time in seconds since the epoch; null when there is none. @throws Rejected `invalid_timestamp` */
export function secondsIn(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const time = typeof value === 'number' ? new Date(value * 1000) : undefined
  if (time && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new Rejected('invalid_timestamp', `${seen(value)} is no number of seconds`)
}

/** The name of a conversation. @throws Rejected `invalid_identity` */
export function keyIn(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : undefined
  if (key && key.length <= maxKeyLength && key.isWellFormed() && !key.includes('\0')) return key
  throw new Rejected('invalid_identity', `the name of the conversation is ${seen(value)}`)
}

/** A project; null when there is none. @throws Rejected `unknown_shape` */
export function projectIn(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const project = typeof value === 'string' ? value.trim() : undefined
  if (project && project.length <= maxProjectLength && project.isWellFormed() && !project.includes('\0'))
    return project
  throw new Rejected('unknown_shape', `the project is ${seen(value)}`)
}

/** A short value as a rejection shows it, of anything else what it is. */
export function seen(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(clip(value, 60))
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : value === undefined ? 'missing' : `a ${typeof value}`
}
