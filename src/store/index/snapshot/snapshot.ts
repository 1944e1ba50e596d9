import { analysisVersion } from '../analysis/analyzer.js'
import type { Dictionary } from '../dictionary.js'
import type { PackedRows } from '../packed-rows.js'
import { enumProperties } from '../row-columns.js'
import { damaged, type Frame, readFrames, SnapshotError, writeFrames } from './frames.js'
import { Packer, Unpacker } from './packing.js'
import { packRows, type TextLoaders, unpackRows } from './row-frame.js'
import { TextLoader } from './text-loader.js'

const kinds = { head: 1, rows: 2, names: 3, gone: 4, tail: 5 } as const

// Small enough that packing one frame takes a few milliseconds.
const rowsPerFrame = 500
const namesPerFrame = 5000
/** Somebody may write faster than this can follow: after so many frames the rest is packed in one go. */
const maxRounds = 1000

/** What must agree between the writer of a snapshot and its reader. */
interface Head {
  analysis: number
  model: string | null
  dimensions: number | null
}

/** What is counted when everything is written, and must come out the same after reading. */
interface Tail {
  documents: number
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
  /** Empties an id's row. */
  drop(id: string): void
}

/** Ids that were changed since the save began: they are written again at the end. */
export type ChangedIds = Set<string>

/**
 * Writes the index while it goes on changing: rows in slices, then whatever changed meanwhile, so that the file
 * is the index of one moment.
 * @returns the size in bytes.
 */
export async function writeSnapshot(
  file: string,
  state: SnapshotState,
  changed: ChangedIds,
): Promise<number> {
  const dictionaries = dictionariesOf(state.rows)
  // Numbers that are in the file already must keep their meaning to its end.
  for (const dictionary of dictionaries) dictionary.hold()
  try {
    return await writeFrames(file, framesOf(state, changed))
  } finally {
    for (const dictionary of dictionaries) dictionary.unhold()
  }
}

async function* framesOf(state: SnapshotState, changed: ChangedIds): AsyncGenerator<Frame> {
  const { rows } = state
  const head: Head = {
    analysis: analysisVersion,
    model: state.model,
    dimensions: rows.vectors?.dimensions ?? null,
  }
  yield jsonFrame(kinds.head, head)
  for (let from = 1; from < rows.columns.end; from += rowsPerFrame) {
    await rows.budget.breathe()
    const { live } = rows.columns
    const numbers = Array.from({ length: rowsPerFrame }, (_, i) => from + i).filter(row => live[row] === 1)
    yield { kind: kinds.rows, payload: packRows(rows, numbers) }
  }
  const written = dictionariesOf(rows).map(() => 1)
  for (let round = 0; round < maxRounds; round++) {
    await rows.budget.breathe()
    const names = nextNames(rows, written, namesPerFrame)
    if (names) yield names
    else if (changed.size > rowsPerFrame) yield* changedFrames(state, take(changed, rowsPerFrame))
    else break
  }
  // From here to the tail nothing waits, so nothing can change.
  const last = [...changedFrames(state, take(changed, changed.size))]
  for (let names = nextNames(rows, written, 1); names; names = nextNames(rows, written, 1)) last.push(names)
  last.push(jsonFrame(kinds.tail, tailOf(state)))
  yield* last
}

/**
 * Fills an empty index from a file, in slices.
 * @throws SnapshotError when the file is missing, damaged, or made for another analysis, model or dimensions.
 */
export async function readSnapshot(file: string, state: SnapshotState): Promise<{ change: number }> {
  const { rows } = state
  const loaders: TextLoaders = [
    new TextLoader(rows.texts.content, rows.budget),
    new TextLoader(rows.texts.hints, rows.budget),
  ]
  let head: Head | undefined
  let tail: Tail | undefined
  for await (const { kind, payload } of readFrames(file)) {
    await rows.budget.breathe()
    const packed = new Unpacker(payload)
    if (kind === kinds.head) head = checkHead(packed.json<Head>(), state)
    else if (!head) throw damaged('it has no head')
    else if (kind === kinds.rows) unpackRows(rows, payload, loaders)
    else if (kind === kinds.names) restoreNames(rows, packed)
    else if (kind === kinds.gone) dropRows(packed.json<string[]>(), state, loaders)
    else if (kind === kinds.tail) tail = packed.json<Tail>()
    else throw damaged(`frame of unknown kind ${kind}`)
  }
  for (const loader of loaders) await loader.finish()
  await addSessions(rows)
  for (const dictionary of dictionariesOf(rows)) {
    await rows.budget.breathe()
    dictionary.reclaim()
  }
  if (!tail) throw damaged('it has no tail')
  checkTail(tail, tailOf({ ...state, change: () => tail.change }))
  return { change: tail.change }
}

function dropRows(ids: readonly string[], state: SnapshotState, loaders: TextLoaders): void {
  for (const id of ids) {
    const row = state.rows.ids.rowOf(id)
    if (row === undefined) continue
    for (const loader of loaders) loader.drop(row)
    state.drop(id)
  }
}

async function addSessions({ columns, sessions, budget }: PackedRows): Promise<void> {
  for (let row = 1; row < columns.end; row++) {
    if (row % rowsPerFrame === 0) await budget.breathe()
    if (columns.live[row] === 1) sessions.add(row)
  }
}

function* changedFrames(state: SnapshotState, ids: readonly string[]): Generator<Frame> {
  yield jsonFrame(kinds.gone, ids)
  const { columns, ids: rowIds } = state.rows
  const present = ids.map(id => rowIds.rowOf(id)!).filter(row => columns.live[row] === 1)
  yield { kind: kinds.rows, payload: packRows(state.rows, present) }
}

/** The next names of a dictionary with at least `least` that are not written yet; `written` is moved on. */
function nextNames(rows: PackedRows, written: number[], least: number): Frame | undefined {
  for (const [which, dictionary] of dictionariesOf(rows).entries()) {
    const from = written[which]!
    const to = Math.min(from + namesPerFrame, dictionary.capacity)
    if (to - from < least) continue
    written[which] = to
    const payload = new Packer()
      .numbers(Uint32Array.of(which, from))
      .json(dictionary.texts(from, to))
      .payload()
    return { kind: kinds.names, payload }
  }
  return undefined
}

function restoreNames(rows: PackedRows, packed: Unpacker): void {
  const [which, from] = packed.numbers(Uint32Array)
  const dictionary = dictionariesOf(rows)[which!]
  if (!dictionary) throw damaged(`names of unknown dictionary ${which}`)
  dictionary.restore(from!, packed.json<(string | null)[]>())
}

function checkHead(head: Head, { rows, model }: SnapshotState): Head {
  const dimensions = head.dimensions === null ? null : (rows.vectors?.dimensions ?? head.dimensions)
  const wanted: Head = { analysis: analysisVersion, model, dimensions }
  for (const name of ['analysis', 'model', 'dimensions'] as const) {
    if (head[name] === wanted[name]) continue
    throw new SnapshotError(
      'incompatible',
      `the snapshot has ${name} ${head[name]}, this index ${wanted[name]}`,
    )
  }
  return head
}

function checkTail(written: Tail, read: Tail): void {
  for (const name of ['documents', 'vectors', 'terms'] as const) {
    if (written[name] !== read[name]) throw damaged(`${read[name]} ${name} instead of ${written[name]}`)
  }
}

function tailOf({ rows, change }: SnapshotState): Tail {
  const { columns, vectors, terms } = rows
  return { documents: columns.count, vectors: vectors?.count ?? 0, terms: terms.size, change: change() }
}

function dictionariesOf({ terms, columns }: PackedRows): Dictionary[] {
  return [terms, columns.tags.labels, ...enumProperties.map(name => columns.enums[name].values)]
}

function take(ids: ChangedIds, count: number): string[] {
  const taken = [...ids].slice(0, count)
  for (const id of taken) ids.delete(id)
  return taken
}

const jsonFrame = (kind: number, value: unknown): Frame => ({
  kind,
  payload: new Packer().json(value).payload(),
})
