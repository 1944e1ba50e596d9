import type { BlockLists } from '../arrays/block-lists.js'
import type { StoredStrings } from '../arrays/string-numbers.js'
import type { Schema } from '../collection.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { RowColumns } from '../rows/columns.js'
import type { VectorStore } from '../vectors/vector-store.js'
import type { Dictionary } from '../words/dictionary.js'
import { frequencyBits } from '../words/text-field.js'
import { damaged } from './frames.js'

/**
 * Kinds of frames. `which` numbers the results of the functions below; `from` is the first row, list, chunk
 * or name.
 */
export const kinds = {
  head: 1,
  ids: 2,
  names: 3,
  rows: 4,
  chunks: 5,
  lists: 6,
  changes: 7,
  tail: 8,
  codes: 9,
} as const

/** Must match between writer and reader; also contains the sizes to allocate. */
export interface Head {
  /** See `schemaText`. */
  schema: string
  analysis: number
  model: string | null
  dimensions: number | null
  /** Rows, numbered from 1 on. */
  rows: number
  /** Highest row with a vector. */
  embedded: number
}

const alignment = 8

type NumbersType<T extends Numbers> = {
  new (buffer: ArrayBufferLike, offset: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}
const padding = (bytes: number) => (alignment - (bytes % alignment)) % alignment

/** Packs arrays of numbers, strings and JSON values into a frame's payload. */
export class Packer {
  #parts: Uint8Array[] = []

  /** The array with its length before it. */
  numbers(array: Numbers): this {
    const length = new Uint8Array(alignment)
    new DataView(length.buffer).setUint32(0, array.byteLength, true)
    this.#parts.push(length, bytesOf(array), new Uint8Array(padding(array.byteLength)))
    return this
  }

  json(value: unknown): this {
    return this.numbers(Buffer.from(JSON.stringify(value)))
  }

  strings({ hashes, ends, encoding, bytes }: StoredStrings): this {
    return this.json(encoding).numbers(hashes).numbers(ends).numbers(bytes)
  }

  payload(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

/** Reads the values of a `Packer` in the same order. Arrays are views of the payload. */
export class Unpacker {
  #at = 0
  readonly #payload: Buffer

  /** @param payload at an address divisible by 8. */
  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#payload = Buffer.from(buffer, byteOffset, byteLength)
  }

  numbers<T extends Numbers>(type: NumbersType<T>): T {
    const payload = this.#payload
    const start = this.#at + alignment
    if (start > payload.length) throw damaged('a part is missing')
    const bytes = payload.readUInt32LE(this.#at)
    if (start + bytes > payload.length || bytes % type.BYTES_PER_ELEMENT !== 0)
      throw damaged('a part is cut off')
    this.#at = start + bytes + padding(bytes)
    return new type(payload.buffer, payload.byteOffset + start, bytes / type.BYTES_PER_ELEMENT)
  }

  json<T>(): T {
    return JSON.parse(this.#buffer().toString())
  }

  strings(): StoredStrings {
    const encoding = this.json<StoredStrings['encoding']>()
    return {
      encoding,
      hashes: this.numbers(Uint32Array),
      ends: this.numbers(Uint32Array),
      bytes: this.#buffer(),
    }
  }

  #buffer(): Buffer {
    const { buffer, byteOffset, byteLength } = this.numbers(Uint8Array)
    return Buffer.from(buffer, byteOffset, byteLength)
  }
}

/** A schema as one line: arrays of different schemas are incompatible. */
export function schemaText({ name, hints, columns, author, sessions }: Schema): string {
  const typed = Object.entries(columns).map(([column, kind]) => `${column} ${kind}`)
  const used = [
    hints && 'hints',
    author && `by ${author}`,
    sessions && `in ${sessions.key}, ${sessions.time}`,
  ]
  return `${name} (${[...typed, ...used.filter(Boolean)].join('; ')})`
}

/** Counts after writing, which must be equal after reading. */
export interface Tail {
  entries: number
  vectors: number
  terms: number
  change: number
}

/** The index as seen by the snapshot. */
export interface SnapshotState {
  rows: PackedRows
  /** Name of the embedding model, if there is one. */
  model: string | null
  /** Highest change sequence that was applied. */
  change(): number
}

export type Numbers = Uint8Array | Int8Array | Uint32Array | Float32Array | Float64Array

/** An array with `width` numbers for each row. */
export interface RowArray {
  array: Numbers
  width: number
  /** Numbers are valid only for rows marked 1 here; a removed vector is not written. */
  holds?: Uint8Array
}

/** All arrays with data per row; valid until the index grows. */
export function rowArraysOf(
  { columns, texts }: PackedRows,
  vectors: VectorStore | undefined,
): readonly RowArray[] {
  const single: Numbers[] = [
    ...columns.perRow.map(({ numbers }) => numbers),
    ...texts.flatMap(({ lengths, present }) => [lengths, present]),
  ]
  return [
    ...single.map(array => ({ array, width: 1 })),
    ...(vectors?.rowArrays ?? []).map(of => ({ ...of, holds: vectors!.present })),
  ]
}

/** Lists of names by row, and of rows by name. */
export interface ListsOfRows {
  byRow: BlockLists
  byName: BlockLists
  /** Entries by name are rows shifted by this many bits; the lower bits are extra data. */
  shift: number
}

export function listsOf({ texts, columns }: PackedRows): readonly ListsOfRows[] {
  return [
    ...texts.map(({ forward, postings }) => ({
      byRow: forward,
      byName: postings,
      shift: frequencyBits,
    })),
    ...columns.labels.map(({ ofRow, rows }) => ({ byRow: ofRow, byName: rows, shift: 0 })),
  ]
}

export function dictionariesOf({ terms, columns }: PackedRows): readonly Dictionary[] {
  return [terms, ...columns.labels.map(({ labels }) => labels), ...columns.values.map(({ values }) => values)]
}

export function tailOf({ rows, change }: SnapshotState): Tail {
  const { columns, vectors, terms } = rows
  return { entries: columns.count, vectors: vectors?.count ?? 0, terms: terms.size, change: change() }
}

/** The rows of a snapshot, numbered without gaps: removed ones are skipped. */
export class StoredRows {
  /** Row by snapshot number, from 1. */
  readonly rows: Uint32Array
  /** Snapshot number by row; 0 if skipped. */
  readonly numbers: Uint32Array

  constructor({ live, end, count }: RowColumns) {
    this.rows = new Uint32Array(count + 1)
    this.numbers = new Uint32Array(end)
    for (let row = 1, number = 1; row < end; row++) {
      if (live[row] !== 1) continue
      this.rows[number] = row
      this.numbers[row] = number++
    }
  }

  get count(): number {
    return this.rows.length - 1
  }

  /** Number of stored rows before a row. */
  before(row: number): number {
    let count = this.count
    while (count > 0 && this.rows[count]! >= row) count--
    return count
  }
}

/** Copies the numbers of these rows in sequence. */
export function copyRows({ array, width, holds }: RowArray, rows: Uint32Array): Buffer {
  const bytes = bytesOf(array)
  const rowBytes = width * array.BYTES_PER_ELEMENT
  const copy = Buffer.allocUnsafeSlow(rows.length * rowBytes)
  for (let i = 0; i < rows.length; ) {
    let next = i + 1
    while (next < rows.length && rows[next] === rows[next - 1]! + 1) next++
    const part = bytes.subarray(rows[i]! * rowBytes, (rows[next - 1]! + 1) * rowBytes)
    copy.set(part, i * rowBytes)
    // An array may end before the last row, whose values are then zero.
    copy.fill(0, i * rowBytes + part.length, next * rowBytes)
    i = next
  }
  if (holds) {
    for (let i = 0; i < rows.length; i++)
      if (holds[rows[i]!] !== 1) copy.fill(0, i * rowBytes, (i + 1) * rowBytes)
  }
  return copy
}

export function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
