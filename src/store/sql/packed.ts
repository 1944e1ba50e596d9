import { type RawBuilder, sql } from 'kysely'
import { wholeUuid } from '../../lib/text/uuid.js'
import { rowsOf } from './dialect.js'

/*
 * Ids and hashes of 36 and 64 characters say 16 and 32 bytes. Where a store holds one for each of its many rows, and its
 * indexes hold it again, it is stored as these bytes. Whoever asks gets the text: what a statement selects is unpacked
 * where it is run. What is compared with such a column is packed first.
 */

export type PackedKind = 'id' | 'hash'

/** The columns, by table. A text of another form, such as an id that somebody chose, is stored as it is. */
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

/** A text as a column of its kind holds it; typed as what it stands for. */
export function packed<Text extends string | null>(kind: PackedKind, text: Text): Text {
  return (text !== null && forms[kind].test(text) ? Buffer.from(digitsOf(text), 'hex') : text) as Text
}

export const packedId = (id: string): string => packed('id', id)
export const packedHash = (hash: string): string => packed('hash', hash)

/** Whether an id is stored as bytes. */
export function isPackedId(id: string): boolean {
  return forms.id.test(id)
}

/** What such a column holds, as a text again. */
export function unpacked(value: unknown): unknown {
  if (!Buffer.isBuffer(value)) return value
  const hex = value.toString('hex')
  if (value.length !== idBytes) return hex
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The values of a list as a column of their kind holds them, for `IN`: one parameter for any number of them. */
export function packedListOf(kind: PackedKind, values: readonly string[]): RawBuilder<unknown> {
  return sql`(SELECT ${packedValue} FROM ${rowsOf(toPack(kind, values), 'packed')})`
}

/** Texts of a list that is a parameter of JSON, which has no bytes: `packedValue` makes them of each of its rows. */
export function toPack(kind: PackedKind, values: readonly string[]): string[] {
  return values.map(value => (forms[kind].test(value) ? `x${digitsOf(value)}` : `t${value}`))
}

export const packedValue = sql`CASE substr(value, 1, 1) WHEN 'x' THEN unhex(substr(value, 2)) ELSE substr(value, 2) END`

/** An id of such a column as a text, to be compared with one that is stored as a text, or told. */
export function unpackedId(column: string): RawBuilder<string> {
  const id = sql.ref(column)
  const part = (from: number, bytes: number) => sql`hex(substr(${id}, ${sql.lit(from)}, ${sql.lit(bytes)}))`
  const parts = [part(1, 4), part(5, 2), part(7, 2), part(9, 2), part(11, 6)]
  return sql`CASE typeof(${id}) WHEN 'blob' THEN lower(${sql.join(parts, sql` || '-' || `)}) ELSE ${id} END`
}

/** The bytes of an id that is stored as bytes; see `isPackedId`. */
export function bytesOfId(id: RawBuilder<string>): RawBuilder<unknown> {
  return sql`unhex(${id}, '-')`
}

const digitsOf = (text: string): string => text.replaceAll('-', '')
