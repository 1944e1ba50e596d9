import { type RawBuilder, sql } from 'kysely'
import { wholeUuid } from '../../lib/text/uuid.js'
import { listOf, rowsOf } from './dialect.js'
import * as postgres from './postgres-dialect.js'
import { worded } from './wordings.js'

/*
 * Ids and hashes of 36 and 64 characters encode 16 and 32 bytes. Where each of many rows and their indexes
 * contain one, these bytes are stored. Selected values are unpacked where the statement runs; compared values
 * must be packed first. PostgreSQL has no column of bytes and texts, so there they stay texts.
 */

export type PackedKind = 'id' | 'hash'

/** Packed columns by table. Texts of another form, such as user-chosen ids, are stored as they are. */
const packedColumns: Readonly<Record<string, ReadonlyMap<string, PackedKind>>> = {
  memories: new Map([['content_hash', 'hash']]),
  memory_history: new Map([
    ['id', 'id'],
    ['memory_id', 'id'],
    ['request_id', 'id'],
  ]),
}

const none: ReadonlyMap<string, PackedKind> = new Map()
const forms: Readonly<Record<PackedKind, RegExp>> = {
  id: wholeUuid,
  hash: /^[0-9a-f]{64}$/,
}
const idBytes = 16

export function packedColumnsOf(table: string): ReadonlyMap<string, PackedKind> {
  return packedColumns[table] ?? none
}

/** Returns a text in stored form; the type remains that of the text. */
export function packed<Text extends string | null>(kind: PackedKind, text: Text): Text {
  if (text === null || !forms[kind].test(text)) return text
  const bytes: PackedBytes = Buffer.from(digitsOf(text), 'hex')
  bytes[packedText] = text
  return bytes as unknown as Text
}

const packedText = Symbol('packed text')

interface PackedBytes extends Buffer {
  [packedText]?: string
}

/** Returns the text from which `packed` made these bytes; undefined for other bytes. */
export function textBehind(bytes: Buffer): string | undefined {
  return (bytes as PackedBytes)[packedText]
}

export const packedId = (id: string): string => packed('id', id)
export const packedHash = (hash: string): string => packed('hash', hash)

/** Returns whether an id is stored as bytes. */
export function isPackedId(id: string): boolean {
  return forms.id.test(id)
}

/** Returns the text of a stored value. */
export function unpacked(value: unknown): unknown {
  if (!Buffer.isBuffer(value)) return value
  const hex = value.toString('hex')
  if (value.length !== idBytes) return hex
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A list in stored form for `IN`, passed as one parameter. */
export function packedListOf(kind: PackedKind, values: readonly string[]): RawBuilder<unknown> {
  return worded(sql`(SELECT ${packedValue} FROM ${rowsOf(toPack(kind, values), 'packed')})`, () =>
    listOf(values),
  )
}

/** Prefixes texts for a JSON parameter, which cannot contain bytes; `packedValue` converts each row. */
export function toPack(kind: PackedKind, values: readonly string[]): string[] {
  return values.map(value => (forms[kind].test(value) ? `x${digitsOf(value)}` : `t${value}`))
}

export const packedValue = worded(
  sql`CASE substr(value, 1, 1) WHEN 'x' THEN unhex(substr(value, 2)) ELSE substr(value, 2) END`,
  () => postgres.packedValue,
)

/** A packed id as text, for output or comparison with a text column. */
export function unpackedId(column: string): RawBuilder<string> {
  const id = sql.ref(column)
  const part = (from: number, bytes: number) => sql`hex(substr(${id}, ${sql.lit(from)}, ${sql.lit(bytes)}))`
  const parts = [part(1, 4), part(5, 2), part(7, 2), part(9, 2), part(11, 6)]
  const text = sql<string>`CASE typeof(${id}) WHEN 'blob' THEN lower(${sql.join(parts, sql` || '-' || `)}) ELSE ${id} END`
  return worded(text, () => sql`${id}`)
}

/** The bytes of an id that is stored as bytes; see `isPackedId`. */
export function bytesOfId(id: RawBuilder<string>): RawBuilder<unknown> {
  return worded(sql`unhex(${id}, '-')`, () => id)
}

const digitsOf = (text: string): string => text.replaceAll('-', '')
