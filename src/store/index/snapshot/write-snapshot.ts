import { BlockLists } from '../arrays/block-lists.js'
import { blockRows } from '../vectors/coarse-kernel.js'
import type { VectorStore } from '../vectors/vector-store.js'
import { analysisVersion } from '../words/analysis/analyzer.js'
import { type ChangedIds, packChanges } from './changes.js'
import { type Frame, writeFrames } from './frames.js'
import {
  bytesOf,
  copyRows,
  dictionariesOf,
  type Head,
  kinds,
  type ListsOfRows,
  listsOf,
  Packer,
  rowArraysOf,
  type SnapshotState,
  StoredRows,
  schemaText,
  tailOf,
} from './stored-rows.js'

// Packing such a frame takes a few milliseconds; smaller ones would cost more reads.
const bytesPerFrame = 2 ** 21
const chunksPerFrame = 8
const rowsPerFrame = 500
const stringsPerFrame = 5000
/** Entries copied between two pauses; an empty list counts as several. */
const entriesPerStep = 50_000
const emptyList = 100
/**
 * After this many frames the remaining changes are packed at once, in case writers are faster than the save.
 */
const maxRounds = 1000

/**
 * Writes the index while it keeps changing: its arrays in slices, then the rows changed since, so that the
 * file represents one moment.
 * @returns the size in bytes.
 */
export async function writeSnapshot(
  file: string,
  state: SnapshotState,
  changed: ChangedIds,
): Promise<number> {
  const dictionaries = dictionariesOf(state.rows)
  // Numbers written to the file must keep their meaning until its end.
  for (const dictionary of dictionaries) dictionary.hold()
  try {
    return await writeFrames(file, framesOf(state, changed))
  } finally {
    for (const dictionary of dictionaries) dictionary.unhold()
  }
}

async function* framesOf(state: SnapshotState, changed: ChangedIds): AsyncGenerator<Frame> {
  const { rows } = state
  const stored = new StoredRows(rows.columns)
  const head: Head = {
    schema: schemaText(rows.schema),
    analysis: analysisVersion,
    model: state.model,
    dimensions: rows.vectors?.dimensions ?? null,
    rows: stored.count,
    embedded: stored.before(rows.vectors?.end ?? 0),
  }
  yield jsonFrame(kinds.head, head)
  yield* idFrames(state, stored)
  yield* rowFrames(state, stored, head)
  if (rows.vectors && head.dimensions !== null) yield* codeFrames(state, stored, head, rows.vectors)
  for (const [which, lists] of listsOf(rows).entries()) yield* listFrames(state, stored, which, lists)
  const written = dictionariesOf(rows).map(() => 1)
  for (let round = 0; round < maxRounds; round++) {
    await rows.budget.breathe()
    const names = nextNames(state, written, stringsPerFrame)
    if (names) yield names
    else if (changed.size > rowsPerFrame) yield changesFrame(state, take(changed, rowsPerFrame))
    else break
  }
  // No awaits from here to the tail, so nothing can change.
  const last = changed.size > 0 ? [changesFrame(state, take(changed, changed.size))] : []
  for (let names = nextNames(state, written, 1); names; names = nextNames(state, written, 1)) last.push(names)
  last.push(jsonFrame(kinds.tail, tailOf(state)))
  yield* last
}

async function* idFrames({ rows }: SnapshotState, stored: StoredRows): AsyncGenerator<Frame> {
  const { strings } = rows.ids
  for (let from = 1; from <= stored.count; from += stringsPerFrame) {
    await rows.budget.breathe()
    const payload = new Packer()
      .numbers(Uint32Array.of(strings.seed))
      .strings(strings.stored(stored.rows.subarray(from, from + stringsPerFrame)))
      .payload()
    yield { kind: kinds.ids, which: 0, from, payload, isRepetitive: true }
  }
}

async function* rowFrames({ rows }: SnapshotState, stored: StoredRows, head: Head): AsyncGenerator<Frame> {
  const vectors = head.dimensions === null ? undefined : rows.vectors
  for (const [which, { array, width, holds }] of rowArraysOf(rows, vectors).entries()) {
    const step = Math.ceil(bytesPerFrame / (width * array.BYTES_PER_ELEMENT))
    const end = (holds ? head.embedded : head.rows) + 1
    for (let from = 1; from < end; from += step) {
      await rows.budget.breathe()
      const numbers = stored.rows.subarray(from, Math.min(from + step, end))
      const payload = copyRows(rowArraysOf(rows, vectors)[which]!, numbers)
      yield { kind: kinds.rows, which, from, payload, isRepetitive: !holds }
    }
  }
}

async function* codeFrames(
  { rows }: SnapshotState,
  stored: StoredRows,
  head: Head,
  { coarse, present }: VectorStore,
): AsyncGenerator<Frame> {
  const step = Math.ceil(bytesPerFrame / coarse.blockBytes) * blockRows
  // A block begins at row 0, which is unused.
  for (let from = 0; from <= head.embedded; from += step) {
    await rows.budget.breathe()
    const numbers = stored.rows.subarray(from, Math.min(from + step, head.embedded + 1))
    yield { kind: kinds.codes, which: 0, from, payload: coarse.blocksOf(numbers, present) }
  }
}

/** Copies lists as they are in memory if no entries were ever removed; they are read without inspection. */
async function* listFrames(
  { rows }: SnapshotState,
  stored: StoredRows,
  which: number,
  { byRow, byName, shift }: ListsOfRows,
): AsyncGenerator<Frame> {
  const rename = (entries: Uint32Array) => renamed(entries, stored.numbers, shift)
  const sources = [
    {
      end: stored.before(byRow.listEnd) + 1,
      valuesOf: (number: number) => byRow.values(stored.rows[number]!),
    },
    { end: byName.listEnd, valuesOf: (number: number) => rename(byName.values(number)) },
  ]
  for (const [i, { end, valuesOf }] of sources.entries()) {
    const lists = new BlockLists()
    lists.reserve(end)
    let chunk = 0
    let copied = 0
    for (let number = 1; number < end; number++) {
      const values = valuesOf(number)
      lists.assign(number, values)
      copied += values.length + emptyList
      if (copied > entriesPerStep) {
        copied = 0
        await rows.budget.breathe()
      }
      for (; lists.chunks - chunk > chunksPerFrame; chunk += chunksPerFrame)
        yield chunksFrame(lists, which * 2 + i, chunk)
    }
    yield chunksFrame(lists, which * 2 + i, chunk)
    yield* headFrames(lists, which * 2 + i)
  }
}

function chunksFrame(lists: BlockLists, which: number, from: number): Frame {
  const payload = lists.takeChunks(from, chunksPerFrame)
  return { kind: kinds.chunks, which, from, payload, isRepetitive: true }
}

function* headFrames(lists: BlockLists, which: number): Generator<Frame> {
  const step = bytesPerFrame / Uint32Array.BYTES_PER_ELEMENT
  for (const [i, array] of lists.ofLists.entries()) {
    for (let from = 0; from < array.length; from += step) {
      const payload = bytesOf(array.subarray(from, from + step))
      yield { kind: kinds.lists, which: which * lists.ofLists.length + i, from, payload, isRepetitive: true }
    }
  }
}

/** Renumbers entries to stored rows and drops the others. */
function renamed(entries: Uint32Array, numbers: Uint32Array, shift: number): Uint32Array {
  const mask = 2 ** shift - 1
  let count = 0
  for (const entry of entries) {
    const number = numbers[entry >>> shift] ?? 0
    if (number > 0) entries[count++] = (number << shift) | (entry & mask)
  }
  return entries.subarray(0, count)
}

function changesFrame({ rows }: SnapshotState, ids: readonly string[]): Frame {
  return { kind: kinds.changes, which: 0, from: 0, payload: packChanges(rows, ids) }
}

/** The next unwritten names of a dictionary with at least `least` of them; advances `written`. */
function nextNames({ rows }: SnapshotState, written: number[], least: number): Frame | undefined {
  for (const [which, dictionary] of dictionariesOf(rows).entries()) {
    const from = written[which]!
    const to = Math.min(from + stringsPerFrame, dictionary.capacity)
    if (to - from < least) continue
    written[which] = to
    const words = dictionary.stored(from, to)
    const payload = new Packer()
      .numbers(Uint32Array.of(dictionary.strings.seed))
      .strings(words)
      .numbers(words.signatures)
      .payload()
    return { kind: kinds.names, which, from, payload }
  }
  return undefined
}

function take(ids: ChangedIds, count: number): string[] {
  const taken = [...ids].slice(0, count)
  for (const id of taken) ids.delete(id)
  return taken
}

const jsonFrame = (kind: number, value: unknown): Frame => ({
  kind,
  which: 0,
  from: 0,
  payload: new Packer().json(value).payload(),
})
