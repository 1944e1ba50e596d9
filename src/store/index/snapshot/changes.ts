import type { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import type { PackedRows } from '../packed/packed-rows.js'
import { copyRows, listsOf, type Numbers, Packer, rowArraysOf, Unpacker } from './stored-rows.js'

/** Ids changed since the save began: their rows are written again at the end. */
export type ChangedIds = Set<string>

/** Entries processed before other work gets a turn; an empty list counts as several. */
const entriesPerStep = 100_000
const emptyList = 10

interface Heading {
  /** Ids in the index, in the order of the following data, and removed ids. */
  held: readonly string[]
  gone: readonly string[]
  dimensions: number | null
}

/** Packs all current data of these ids. */
export function packChanges(rows: PackedRows, changed: readonly string[]): Buffer {
  const { columns, ids, vectors } = rows
  const isHeld = (id: string) => columns.live[ids.rowOf(id)!] === 1
  const heading: Heading = {
    held: changed.filter(isHeld),
    gone: changed.filter(id => !isHeld(id)),
    dimensions: vectors?.dimensions ?? null,
  }
  const numbers = Uint32Array.from(heading.held, id => ids.rowOf(id)!)
  const packer = new Packer().json(heading)
  for (const each of rowArraysOf(rows, vectors)) packer.numbers(copyRows(each, numbers))
  for (const { byRow } of listsOf(rows)) {
    packer.numbers(Uint32Array.from(numbers, row => byRow.size(row)))
    packer.numbers(Uint32Array.from([...numbers].flatMap(row => [...byRow.values(row)])))
  }
  if (vectors) packer.numbers(vectors.coarse.packed(numbers, vectors.present))
  return packer.payload()
}

/**
 * Rows of a snapshot that changed while it was written. Their earlier data in the file may mix states from
 * before and after the change, so it is cleared first.
 */
export class Changes {
  #payloads: Uint8Array[] = []
  /** The last payload with each id. */
  #last = new Map<string, Uint8Array>()

  add(payload: Uint8Array): void {
    this.#payloads.push(payload)
    const { held, gone } = new Unpacker(payload).json<Heading>()
    for (const id of [...held, ...gone]) this.#last.set(id, payload)
  }

  /** Applies the changes; the index must not be counted yet. */
  async apply(rows: PackedRows, budget: LoopBudget): Promise<void> {
    if (this.#last.size === 0) return
    const numbers = [...this.#last.keys()].flatMap(id => rows.ids.rowOf(id) ?? [])
    await empty(rows, numbers, budget)
    for (const payload of this.#payloads) {
      await budget.breathe()
      this.#restore(rows, payload)
    }
    for (const row of numbers) if (rows.columns.live[row] !== 1) rows.ids.free(row)
  }

  #restore(rows: PackedRows, payload: Uint8Array): void {
    const { columns, ids, texts } = rows
    const packed = new Unpacker(payload)
    const { held, dimensions } = packed.json<Heading>()
    const numbers = held.map(id => (this.#last.get(id) === payload ? ids.assign(id, { reuse: false }) : 0))
    const end = Math.max(...numbers, 0) + 1
    columns.reserve(end)
    for (const text of texts) text.reserve(end)
    if (dimensions !== null) rows.openVectors(dimensions).reserve(end)
    for (const { array, width } of rowArraysOf(rows, dimensions === null ? undefined : rows.vectors))
      put(array, width, packed.numbers(array.constructor as Uint32ArrayConstructor), numbers)
    const lists = listsOf(rows).map(() => slices(packed.numbers(Uint32Array), packed.numbers(Uint32Array)))
    if (dimensions !== null) rows.vectors!.coarse.unpack(numbers, packed.numbers(Uint8Array))
    for (const [i, row] of numbers.entries()) {
      if (row === 0) continue
      columns.live[row] = 1
      for (const [of, text] of texts.entries()) text.restoreEntries(row, lists[of]![i]!)
      for (const [of, column] of columns.labels.entries()) column.restore(row, lists[texts.length + of]![i]!)
    }
  }
}

/** Clears these rows in all arrays and lists. */
async function empty(rows: PackedRows, numbers: readonly number[], budget: LoopBudget): Promise<void> {
  const marks = new Uint8Array(rows.columns.live.length)
  for (const row of numbers) marks[row] = 1
  for (const { array, width } of rowArraysOf(rows, rows.vectors))
    for (const row of numbers) array.fill(0, row * width, (row + 1) * width)
  for (const row of numbers) rows.columns.live[row] = 0
  for (const { byRow, byName, shift } of listsOf(rows)) {
    for (const row of numbers) byRow.clear(row)
    const end = byName.listEnd
    let looked = 0
    for (let name = 1; name < end; name++) {
      looked += byName.size(name) + emptyList
      if (looked > entriesPerStep) {
        looked = 0
        await budget.breathe()
      }
      byName.removeMarked(name, marks, shift)
    }
  }
}

/** Copies the numbers of rows; row 0 is skipped. */
function put(into: Numbers, width: number, from: Numbers, rows: readonly number[]): void {
  for (const [i, row] of rows.entries())
    if (row > 0) into.set(from.subarray(i * width, (i + 1) * width), row * width)
}

function slices(sizes: Uint32Array, values: Uint32Array): Uint32Array[] {
  let start = 0
  return Array.from(sizes, size => {
    start += size
    return values.subarray(start - size, start)
  })
}
