import type { BlockLists } from '../block-lists.js'
import type { PackedRows } from '../packed-rows.js'
import { enumProperties, numberProperties } from '../row-columns.js'
import { Packer, Unpacker } from './packing.js'
import type { TextLoader } from './text-loader.js'

/** Everything the index keeps of some rows. */
export function packRows(rows: PackedRows, numbers: readonly number[]): Buffer {
  const { columns, ids, texts, vectors } = rows
  const pick = (source: { readonly [row: number]: number }) => numbers.map(row => source[row] ?? 0)
  const packer = new Packer().json(numbers.map(row => ids.of(row)))
  for (const name of enumProperties) packer.numbers(Uint32Array.from(pick(columns.enums[name].numbers)))
  for (const name of numberProperties) packer.numbers(Float64Array.from(pick(columns.numbers[name])))
  packer.numbers(Uint8Array.from(pick(columns.pinned)))
  packLists(packer, columns.tags.ofRow, numbers)
  for (const text of [texts.content, texts.hints]) {
    packer.numbers(Uint8Array.from(numbers, row => Number(text.has(row))))
    packer.numbers(Uint32Array.from(pick(text.lengths)))
    packLists(packer, text.forward, numbers)
  }
  packer.json(vectors?.dimensions ?? null)
  const embedded = vectors ? numbers.filter(row => vectors.has(row)) : []
  packer.numbers(Uint8Array.from(numbers, row => Number(vectors?.has(row) ?? false)))
  packer.numbers(Float32Array.from(embedded, row => vectors!.scales[row]!))
  packer.numbers(joined(embedded.map(row => vectors!.bytesOf(row))))
  return packer.payload()
}

/** Text fields being loaded, in the order they are packed. */
export type TextLoaders = readonly [content: TextLoader, hints: TextLoader]

/**
 * Puts packed rows back, but for their texts, which go to their loaders, and their sessions, which need these.
 * The dictionaries' strings are restored apart from them, before or after.
 */
export function unpackRows(rows: PackedRows, payload: Buffer, loaders: TextLoaders): void {
  const { columns } = rows
  const packed = new Unpacker(payload)
  const numbers = rows.ids.restore(packed.json<string[]>())
  columns.reserve(Math.max(...numbers, 0) + 1)
  for (const row of numbers) columns.admit(row)
  for (const name of enumProperties) {
    const { numbers: column, values } = columns.enums[name]
    const packedValues = packed.numbers(Uint32Array)
    putAll(column, numbers, packedValues)
    for (let i = 0; i < packedValues.length; i++) values.reuse(packedValues[i]!)
  }
  for (const name of numberProperties) putAll(columns.numbers[name], numbers, packed.numbers(Float64Array))
  putAll(columns.pinned, numbers, packed.numbers(Uint8Array))
  unpackLists(packed, numbers, (row, labels, start, end) => columns.tags.reuse(row, labels, start, end))
  for (const loader of loaders)
    loader.add({
      rows: numbers,
      present: packed.numbers(Uint8Array),
      lengths: packed.numbers(Uint32Array),
      counts: packed.numbers(Uint32Array),
      entries: packed.numbers(Uint32Array),
    })
  unpackVectors(rows, packed, numbers)
}

function unpackVectors(rows: PackedRows, packed: Unpacker, numbers: readonly number[]): void {
  const dimensions = packed.json<number | null>()
  const present = packed.numbers(Uint8Array)
  const scales = packed.numbers(Float32Array)
  const bytes = packed.numbers(Int8Array)
  if (dimensions === null) return
  const vectors = rows.openVectors(dimensions)
  const embedded = numbers.filter((_, i) => present[i] === 1)
  vectors.restore(embedded, bytes, scales)
}

function packLists(packer: Packer, lists: BlockLists, numbers: readonly number[]): void {
  packer.numbers(Uint32Array.from(numbers, row => lists.size(row)))
  const all = new Uint32Array(numbers.reduce((sum, row) => sum + lists.size(row), 0))
  let at = 0
  for (const row of numbers) {
    const values = lists.values(row)
    all.set(values, at)
    at += values.length
  }
  packer.numbers(all)
}

function unpackLists(
  packed: Unpacker,
  numbers: readonly number[],
  put: (row: number, values: Uint32Array, start: number, end: number) => void,
): void {
  const counts = packed.numbers(Uint32Array)
  const values = packed.numbers(Uint32Array)
  let at = 0
  for (let i = 0; i < numbers.length; i++) {
    const end = at + counts[i]!
    put(numbers[i]!, values, at, end)
    at = end
  }
}

function putAll(
  column: { [row: number]: number },
  numbers: readonly number[],
  values: { readonly [i: number]: number },
): void {
  for (let i = 0; i < numbers.length; i++) column[numbers[i]!] = values[i]!
}

function joined(parts: readonly Int8Array[]): Int8Array {
  const all = new Int8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
