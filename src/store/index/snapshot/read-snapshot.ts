import { inStretches } from '../../../lib/concurrency/loop-budget.js'
import type { BlockLists } from '../arrays/block-lists.js'
import type { PackedRows } from '../packed/packed-rows.js'
import { analysisVersion } from '../words/analysis/analyzer.js'
import { Changes } from './changes.js'
import { damaged, type Frame, type FrameName, readFrames, SnapshotError } from './frames.js'
import {
  bytesOf,
  dictionariesOf,
  type Head,
  kinds,
  listsOf,
  rowArraysOf,
  type SnapshotState,
  schemaText,
  type Tail,
  tailOf,
  Unpacker,
} from './stored-rows.js'

const termsPerStep = 50_000

/**
 * Kinds read directly into the index. Lists are excluded: their number is only known with the last frame, and
 * growing an array for one frame would abandon bytes still being inflated for the previous one.
 */
const inPlace: ReadonlySet<number> = new Set([kinds.rows, kinds.codes, kinds.chunks])

/**
 * Fills an empty index from a file, in slices: arrays are read into place, and only derived counts are
 * recomputed.
 * @throws SnapshotError when the file is missing, damaged, or made for another schema, analysis, model or
 * dimensions.
 */
export async function readSnapshot(file: string, state: SnapshotState): Promise<{ change: number }> {
  const { budget } = state.rows
  const reading = new SnapshotReader(state)
  for await (const frame of readFrames(file, (name, bytes) => reading.place(name, bytes))) {
    await budget.breathe()
    reading.take(frame)
  }
  return { change: (await reading.finish()).change }
}

/** Reads the head of a snapshot. @throws SnapshotError when the file is missing or damaged */
export async function headOf(file: string): Promise<Head> {
  for await (const { payload } of readFrames(file, placeHead)) return new Unpacker(payload).json<Head>()
  throw damaged('it has no head')
}

/** The frame after the head is read along with it. */
function placeHead(_name: FrameName, bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes)
}

/** A snapshot that is being read. */
class SnapshotReader {
  readonly #rows: PackedRows
  readonly #lists: BlockLists[]
  readonly #changes = new Changes()
  #head: Head | undefined
  #tail: Tail | undefined

  constructor(readonly state: SnapshotState) {
    this.#rows = state.rows
    this.#lists = listsOf(state.rows).flatMap(({ byRow, byName }) => [byRow, byName])
  }

  /** Allocates a frame's bytes: in the index, or in separate memory. */
  place({ kind, which, from }: FrameName, bytes: number): Uint8Array {
    if (!this.#head && kind !== kinds.head) throw damaged('it has no head')
    if (kind === kinds.rows) return this.#placeRows(which, from, bytes)
    if (kind === kinds.codes) return this.#placeCodes(from, bytes)
    if (kind === kinds.chunks) return bytesOf(this.#listsAt(which).restoreChunks(from, bytes / 4))
    return Buffer.allocUnsafeSlow(bytes)
  }

  take({ kind, which, from, payload }: Frame): void {
    if (inPlace.has(kind)) return
    const packed = new Unpacker(payload)
    if (kind === kinds.head) this.#open(packed.json<Head>())
    else if (kind === kinds.ids) this.#restoreIds(from, packed)
    else if (kind === kinds.names) this.#restoreNames(which, from, packed)
    else if (kind === kinds.lists) this.#restoreLists(which, from, payload)
    else if (kind === kinds.changes) this.#changes.add(payload)
    else if (kind === kinds.tail) this.#tail = packed.json<Tail>()
    else throw damaged(`frame of unknown kind ${kind}`)
  }

  /** Computes derived counts after all rows are read. */
  async finish(): Promise<Tail> {
    const head = this.#head
    const tail = this.#tail
    if (!head || !tail) throw damaged('it has no tail')
    const rows = this.#rows
    const { columns, texts, budget } = rows
    columns.live.fill(1, 1, head.rows + 1)
    await this.#changes.apply(rows, budget)
    for (const counted of [columns, ...texts, rows.vectors]) {
      await budget.breathe()
      counted?.recount()
    }
    await this.#countNames()
    await rows.sessions?.restore(budget)
    checkTail(tail, tailOf({ ...this.state, change: () => tail.change }))
    return tail
  }

  #open(head: Head): void {
    const { columns, texts, ids } = this.#rows
    this.#head = checkHead(head, this.state)
    const end = head.rows + 1
    columns.reserve(end)
    for (const text of texts) text.reserve(end)
    ids.strings.reserve(head.rows)
    if (head.dimensions !== null) this.#rows.openVectors(head.dimensions).reserve(head.embedded + 1)
  }

  #placeRows(which: number, from: number, bytes: number): Uint8Array {
    const vectors = this.#head!.dimensions === null ? undefined : this.#rows.vectors
    const stored = rowArraysOf(this.#rows, vectors)[which]
    if (!stored) throw damaged(`rows of unknown array ${which}`)
    const { array, width } = stored
    const start = from * width * array.BYTES_PER_ELEMENT
    if (start + bytes > array.byteLength) throw damaged(`array ${which} has no room for its rows`)
    return bytesOf(array).subarray(start, start + bytes)
  }

  #restoreLists(which: number, from: number, payload: Uint8Array): void {
    const arrays = this.#listsAt(0).ofLists.length
    const lists = this.#listsAt(Math.floor(which / arrays))
    lists.reserve(from + payload.length / 4)
    bytesOf(lists.ofLists[which % arrays]!).set(payload, from * 4)
  }

  #listsAt(which: number): BlockLists {
    const lists = this.#lists[which]
    if (!lists) throw damaged(`unknown lists ${which}`)
    return lists
  }

  #restoreIds(from: number, packed: Unpacker): void {
    const { ids } = this.#rows
    ids.strings.seed = packed.numbers(Uint32Array)[0]!
    ids.restore(from, packed.strings())
  }

  #restoreNames(which: number, from: number, packed: Unpacker): void {
    const dictionary = dictionariesOf(this.#rows)[which]
    if (!dictionary) throw damaged(`names of unknown dictionary ${which}`)
    dictionary.strings.seed = packed.numbers(Uint32Array)[0]!
    dictionary.restore(from, { ...packed.strings(), signatures: packed.numbers(Uint32Array) })
  }

  #placeCodes(from: number, bytes: number): Uint8Array {
    const place = this.#rows.vectors?.coarse.blocksAt(from, bytes)
    if (place?.length !== bytes) throw damaged('codes of rows without vectors')
    return place
  }

  async #countNames(): Promise<void> {
    const { texts, columns, terms, budget } = this.#rows
    for (const { postings } of texts)
      await inStretches(budget, { first: 1, end: terms.capacity, size: termsPerStep }, (from, to) => {
        for (let term = from; term < to; term++) terms.reuse(term, postings.size(term))
      })
    for (const { labels, rows } of columns.labels) {
      for (let label = 1; label < labels.capacity; label++) labels.reuse(label, rows.size(label))
    }
    for (const { values, numbers } of columns.values) {
      await budget.breathe()
      values.reuseAll(numbers)
    }
    for (const dictionary of dictionariesOf(this.#rows)) {
      await budget.breathe()
      await dictionary.reclaim(budget)
    }
  }
}

function checkHead(head: Head, { rows, model }: SnapshotState): Head {
  const dimensions = head.dimensions === null ? null : (rows.vectors?.dimensions ?? head.dimensions)
  const wanted = { schema: schemaText(rows.schema), analysis: analysisVersion, model, dimensions }
  for (const name of ['schema', 'analysis', 'model', 'dimensions'] as const) {
    if (head[name] === wanted[name]) continue
    throw new SnapshotError(
      'incompatible',
      `the snapshot has ${name} ${head[name]}, this index ${wanted[name]}`,
    )
  }
  return head
}

function checkTail(written: Tail, read: Tail): void {
  for (const name of ['entries', 'vectors', 'terms'] as const) {
    if (written[name] !== read[name]) throw damaged(`${read[name]} ${name} instead of ${written[name]}`)
  }
}
