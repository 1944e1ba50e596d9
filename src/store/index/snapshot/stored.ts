import type { BlockLists } from '../arrays/block-lists.js'
import type { Schema } from '../collection.js'
import type { PackedRows } from '../packed/packed-rows.js'
import type { RowColumns } from '../rows/row-columns.js'
import type { VectorStore } from '../vectors/vector-store.js'
import type { Dictionary } from '../words/dictionary.js'
import { frequencyBits } from '../words/text-field.js'

/** Kinds of frames. `which` of them counts what the functions below list, `from` the rows, lists, chunks or names. */
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

/** What must agree between the writer of a snapshot and its reader, and what is needed to make room for it. */
export interface Head {
  /** As `schemaText` gives it. */
  schema: string
  analysis: number
  model: string | null
  dimensions: number | null
  /** Rows, numbered from 1 on. */
  rows: number
  /** No vector belongs to a row of a higher number than this. */
  embedded: number
}

/** A schema as one line: arrays of another one mean something else. */
export function schemaText({ name, hints, columns, author, sessions }: Schema): string {
  const typed = Object.entries(columns).map(([column, kind]) => `${column} ${kind}`)
  const used = [
    hints && 'hints',
    author && `by ${author}`,
    sessions && `in ${sessions.key}, ${sessions.time}`,
  ]
  return `${name} (${[...typed, ...used.filter(Boolean)].join('; ')})`
}

/** What is counted when everything is written, and must come out the same after reading. */
export interface Tail {
  entries: number
  vectors: number
  terms: number
  change: number
}

/** The index as the snapshot sees it. */
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
  /** Only where this says 1 the numbers of a row mean anything: a vector that was removed leaves the file. */
  holds?: Uint8Array
}

/** Everything that is kept row by row, in arrays; valid until the index grows. */
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
  /** An entry by name is a row, shifted by so many bits for what stands beside it. */
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

/** The rows that a snapshot holds, numbered without gaps: those of removed ids are left out. */
export class StoredRows {
  /** By number, from 1 on, the row. */
  readonly rows: Uint32Array
  /** By row its number; 0 for one that is left out. */
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

  /** How many of them stand before a row. */
  before(row: number): number {
    let count = this.count
    while (count > 0 && this.rows[count]! >= row) count--
    return count
  }
}

/** The numbers of these rows, one after another. */
export function gathered({ array, width, holds }: RowArray, rows: Uint32Array): Buffer {
  const bytes = bytesOf(array)
  const rowBytes = width * array.BYTES_PER_ELEMENT
  const copy = Buffer.allocUnsafeSlow(rows.length * rowBytes)
  for (let i = 0; i < rows.length; ) {
    let next = i + 1
    while (next < rows.length && rows[next] === rows[next - 1]! + 1) next++
    const part = bytes.subarray(rows[i]! * rowBytes, (rows[next - 1]! + 1) * rowBytes)
    copy.set(part, i * rowBytes)
    // An array may end before the last row that has nothing in it.
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
