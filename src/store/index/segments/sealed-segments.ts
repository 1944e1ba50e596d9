import {
  createSegmentFile,
  openSegmentFile,
  type SegmentColumns,
  type SegmentFile,
  type SegmentRow,
} from '../../tables/sessions/segment-file.js'
import type { Schema } from '../collection.js'
import { RowColumns } from '../rows/columns.js'
import { RowMasks } from '../rows/row-masks.js'
import type { AnyWhere } from '../rows/where.js'
import { analysisVersion } from '../words/analysis/analyzer.js'

/** Incremented when the file format changes. */
const formatVersion = 2

export interface Segment extends SegmentRow {
  /** 1 for a position with a current entry; undefined while all have one. */
  living?: Uint8Array | undefined
}

/** The sealed part of an index: entries and postings on disk. See `SegmentedIndex`. */
export class SealedSegments {
  /** In the order they were sealed. */
  segments: Segment[] = []
  readonly #names: readonly string[]
  readonly #version: string
  /** Filters apply to combinations of column values; each combination is one row here. */
  #owners: RowColumns
  #masks: RowMasks
  #numbers = new Map<string, number>()
  #file: SegmentFile | undefined

  /** @throws RangeError for a collection with columns of other kinds than values. */
  constructor(
    readonly path: string,
    readonly schema: Schema,
  ) {
    const { name, columns, hints } = schema
    const odd = Object.entries(columns).find(([, kind]) => kind !== 'value')
    if (odd || hints) throw new RangeError(`entries of ${name} can't be sealed: ${odd?.[0] ?? 'hints'}`)
    this.#names = Object.keys(columns)
    this.#version = JSON.stringify([formatVersion, analysisVersion, name, this.#names])
    this.#owners = new RowColumns(schema)
    this.#masks = new RowMasks(this.#owners)
  }

  /** Reads the file. @returns false if it is missing or has another version. */
  open(): boolean {
    this.#file = openSegmentFile(this.path, this.#version)
    if (!this.#file) return false
    this.readOwners()
    this.segments = this.#file.segments()
    for (const segment of this.segments)
      if (segment.live < segment.size) segment.living = this.#livingOf(segment)
    return true
  }

  /** The file; unless opened before, an empty one replaces it. */
  get file(): SegmentFile {
    this.#file ??= createSegmentFile(this.path, this.#version)
    return this.#file
  }

  get isEmpty(): boolean {
    return this.segments.length === 0
  }

  /** Number of current entries. */
  get entries(): number {
    return this.#sum(({ live }) => live)
  }

  /** Entries referenced by postings, including removed ones, and their terms. */
  get kept(): number {
    return this.#sum(({ kept }) => kept)
  }

  get length(): number {
    return this.#sum(({ length }) => length)
  }

  /** Highest change of an entry. */
  get change(): number {
    return this.segments.reduce((highest, { change }) => Math.max(highest, change), 0)
  }

  get nextNumber(): number {
    return (this.segments.at(-1)?.segment ?? 0) + 1
  }

  changeOf(id: string): number | undefined {
    return this.isEmpty ? undefined : this.file.find(id)?.change
  }

  /** @returns false if the id is unknown. */
  drop(id: string): boolean {
    const place = this.isEmpty ? undefined : this.file.find(id)
    const segment = place && this.segments.find(one => one.segment === place.segment)
    if (!segment) return false
    this.file.atOnce(() => this.file.dropEntry(id, place))
    segment.living ??= new Uint8Array(segment.size).fill(1)
    segment.living[place.place] = 0
    segment.live--
    return true
  }

  /** The number of a combination of values in schema order; a new one gets the next. */
  ownerOf(values: readonly (string | null)[]): number {
    const fields = JSON.stringify(values)
    const known = this.#numbers.get(fields)
    if (known !== undefined) return known
    const number = this.#numbers.size + 1
    this.file.addOwner(number, fields)
    this.#admit(number, fields)
    return number
  }

  /** Reloads all owners from the file. */
  readOwners(): void {
    this.#numbers.clear()
    this.#owners = new RowColumns(this.schema)
    this.#masks = new RowMasks(this.#owners)
    for (const { number, fields } of this.file.owners()) this.#admit(number, fields)
  }

  /** 1 for every owner whose entries match a filter. */
  ownersBy(where: AnyWhere): Uint8Array {
    return this.#masks.of(where).bytes
  }

  /** Columns of a segment for a search; undefined if it was dropped. */
  columnsOf({ segment }: Segment): { lengths: Uint32Array; owners: Uint32Array } | undefined {
    const columns: SegmentColumns | undefined = this.file.columns(segment)
    return columns && { lengths: numbersIn(columns.lengths), owners: numbersIn(columns.owners) }
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #sum(of: (segment: Segment) => number): number {
    return this.segments.reduce((sum, segment) => sum + of(segment), 0)
  }

  #livingOf({ segment, size }: SegmentRow): Uint8Array {
    const living = new Uint8Array(size)
    for (const place of this.file.places(segment)) living[place] = 1
    return living
  }

  #admit(number: number, fields: string): void {
    this.#numbers.set(fields, number)
    this.#owners.admit(number)
    for (const [at, value] of (JSON.parse(fields) as (string | null)[]).entries())
      if (value !== null) this.#owners.valuesOf(this.#names[at] as string).set(number, value)
    this.#masks.refresh(number)
  }
}

/** Copies the driver's bytes, which may be unaligned, into an aligned array. */
function numbersIn(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
