import { isDamage } from '../../../store/faults.js'
import type { Store } from '../../../store/store.js'
import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import { isVisibleTo, type ReadBoundary, withOriginFor } from '../../../store/tables/memory/memory-filter.js'
import type {
  ExportCursor,
  ExportedMemory,
  ExportSelection,
} from '../../../store/tables/operations/exported-memories.js'
import {
  cursorAfter,
  type EventCursor,
  type ExportedEvent,
  type MemoryVersion,
} from '../../../store/tables/operations/transfer.js'
import type { Tables } from '../../../store/tables/tables.js'
import { isVisibleEvent, shownHolder } from '../../memory/records/holders.js'

/** Memories per batch. */
const batchSize = 400
/** Characters per page; the line that reaches this is the last one, if many events may follow. */
const pageLength = 1024 * 1024

/** Progress of an export. */
export interface ExportPosition extends ExportCursor {
  /** Set while the last exported memory's history continues: after an event, up to a change. */
  history?: { version: number; after: EventCursor; change: number; isOriginTold: boolean }
}

/** Lines of an export. */
export interface ExportPage {
  /** UTF-8, in a buffer of its own so that it can be transferred. */
  bytes: Uint8Array<ArrayBuffer>
  memories: number
  events: number
  next: ExportPosition
}

interface Batch {
  /** Ascending by id. */
  rows: ExportedMemory[]
  hints: ReadonlyMap<string, string[]>
  /** All but the first holder of each memory, which its row names. */
  holders: ReadonlyMap<string, Holder[]>
  next: ExportCursor
  /** The newest change that these rows include. */
  change: number
}

/**
 * Reads the page after a position in one read transaction: each memory with exactly the history that led to
 * its state.
 * @returns undefined when no row is left. @throws Error when the database is damaged
 */
export function readPage(
  { transaction }: Pick<Store, 'transaction'>,
  selection: ExportSelection,
  place: ExportPosition,
): Promise<ExportPage | undefined> {
  return transaction(async tables => {
    const reading = { tables, selection, salvages: false }
    if (place.history) return restOfHistory(reading, place)
    const batch = await readBatch(tables, selection, place)
    return batch && pageOf(reading, batch)
  })
}

/**
 * Reads the page row by row from a damaged database, skipping unreadable rows: an export helps to rebuild it.
 */
export async function salvagePage(
  { tables }: Pick<Store, 'tables'>,
  selection: ExportSelection,
  place: ExportPosition,
): Promise<ExportPage | undefined> {
  const reading = { tables, selection, salvages: true }
  if (place.history) return restOfHistory(reading, place)
  const batch = await salvagedBatch(tables, selection, place.last)
  return batch && pageOf(reading, batch)
}

async function readBatch(
  tables: Tables,
  selection: ExportSelection,
  after: ExportCursor,
): Promise<Batch | undefined> {
  const found = await tables.transfer.exportedAfter(selection, after, batchSize)
  if (!found) return undefined
  const { next } = found
  if (found.rows.length === 0) return { rows: [], hints: new Map(), holders: new Map(), next, change: 0 }
  const rows = await tables.accesses.counted(found.rows)
  return {
    rows,
    hints: await tables.hints.of(rows.map(({ id }) => id)),
    holders: await tables.holders.of(idsWithHolders(rows)),
    next,
    change: await tables.meta.lastChange(),
  }
}

function idsWithHolders(rows: readonly ExportedMemory[]): string[] {
  return rows.filter(row => row.further_holders > 0).map(({ id }) => id)
}

async function salvagedBatch(
  { transfer, accesses, hints, holders, meta }: Tables,
  selection: ExportSelection,
  after: string,
): Promise<Batch | undefined> {
  const ids = await transfer.anyIdsAfter(after, batchSize)
  const last = ids.at(-1)
  if (last === undefined) return undefined
  const change = await meta.lastChange()
  const batch: Batch = { rows: [], hints: new Map(), holders: new Map(), next: { last }, change }
  for (const id of ids)
    try {
      if (!(await transfer.isSelected(selection, id))) continue
      const rows = await accesses.counted(await transfer.exported(id))
      batch.hints = new Map([...batch.hints, ...(await hints.of([id]))])
      batch.holders = new Map([...batch.holders, ...(await holders.of([id]))])
      batch.rows.push(...rows)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  return batch
}

interface PageSource {
  tables: Tables
  selection: ExportSelection
  /** Skips an unreadable history: a memory without history is better than none. */
  salvages: boolean
}

interface Lines {
  text: string
  memories: number
  events: number
}

async function pageOf(reading: PageSource, batch: Batch): Promise<ExportPage> {
  const { rows, hints, holders, change, next } = batch
  const { boundary } = reading.selection
  const lines: Lines = { text: '', memories: 0, events: 0 }
  const events = eventsOf(reading, rows, change)
  let event = await events.next()
  for (const row of rows) {
    const beside = { hints: hints.get(row.id), further: holders.get(row.id), boundary }
    const { line, isOriginTold } = memoryLine(row, beside)
    lines.text += line
    lines.memories++
    for (; !event.done && event.value.memory_id === row.id; event = await events.next()) {
      addEvent(lines, event.value, { ...reading, isOriginTold })
      if (lines.text.length >= pageLength) {
        const after = cursorAfter(event.value)
        const history = { version: row.version, after, change, isOriginTold }
        return asPage(lines, { ...next, last: row.id, history })
      }
    }
  }
  return asPage(lines, next)
}

async function restOfHistory(
  reading: PageSource,
  { history, ...place }: ExportPosition,
): Promise<ExportPage> {
  const lines: Lines = { text: '', memories: 0, events: 0 }
  const { version, change, after, isOriginTold } = history as Required<ExportPosition>['history']
  for await (const event of eventsOf(reading, [{ id: place.last, version }], change, after)) {
    addEvent(lines, event, { ...reading, isOriginTold })
    if (lines.text.length >= pageLength)
      return asPage(lines, {
        ...place,
        history: { version, change, after: cursorAfter(event), isOriginTold },
      })
  }
  return asPage(lines, place)
}

function addEvent(
  lines: Lines,
  event: ExportedEvent,
  { selection: { boundary }, isOriginTold }: PageSource & { isOriginTold: boolean },
): void {
  if (boundary && !isVisibleEvent(boundary, metadataOf(event))) return
  lines.text += eventLine(event, { isOriginTold })
  lines.events++
}

function metadataOf({ line, metadata }: ExportedEvent): unknown {
  return line !== null || metadata === null ? null : JSON.parse(metadata)
}

function asPage({ text, memories, events }: Lines, next: ExportPosition): ExportPage {
  return { bytes: new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>, memories, events, next }
}

/** Sorted by memory, then by time. */
async function* eventsOf(
  { tables, salvages }: PageSource,
  memories: readonly MemoryVersion[],
  upTo: number,
  after?: EventCursor,
): AsyncGenerator<ExportedEvent> {
  const pageAfter = (last?: EventCursor): Promise<ExportedEvent[]> => {
    const rest = last ? memories.slice(memories.findIndex(({ id }) => id === last.memory_id)) : memories
    return tables.transfer.eventsAfter(rest, upTo, last).catch((error: unknown) => {
      if (!salvages || !isDamage(error)) throw error
      return []
    })
  }
  let page = await pageAfter(after)
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield* page
    page = await pageAfter(cursorAfter(last))
  }
}

/** Data of a memory's line that is not in its row. */
interface MemoryDetails {
  hints?: readonly string[] | undefined
  /** All holders but the first, which the row names. */
  further?: readonly Holder[] | undefined
  /** Limits the output to the reader's memories; undefined: everything. */
  boundary: ReadBoundary | undefined
}

interface MemoryLine {
  line: string
  /** False hides the origin from the reader. */
  isOriginTold: boolean
}

/** Renders a memory as a line with every column that can't be derived again. */
function memoryLine(row: ExportedMemory, { hints = [], further, boundary }: MemoryDetails): MemoryLine {
  const { access_count, last_accessed, structured } = row
  const line =
    `${unclosed(row.head ?? headOf(row))},"access_count":${access_count},"last_accessed":${JSON.stringify(last_accessed)},` +
    `${members(row.rest)},"structured":${sameJson(structured)},"hints":${hints.length === 0 ? '[]' : JSON.stringify(hints)}}`
  return further ? heldLine(line, further, boundary) : { line: `${line}\n`, isOriginTold: true }
}

function headOf({ start, middle, importance, confidence }: ExportedMemory): string {
  return `${unclosed(start)},"importance":${importance},${members(middle)},"confidence":${confidence}}`
}

/** Renders a memory with several holders, showing those the reader may know. */
function heldLine(text: string, further: readonly Holder[], boundary: ReadBoundary | undefined): MemoryLine {
  const memory = JSON.parse(text) as Parameters<typeof firstHolder>[0]
  const everybody = [firstHolder(memory), ...further]
  const told = boundary ? everybody.filter(holder => isVisibleTo(boundary, holder)) : everybody
  const { shownAs, others } = shownHolder(memory, told)
  const row = boundary ? withOriginFor(memory, boundary) : memory
  const line = JSON.stringify({ ...row, ...shownAs, ...(others.length > 0 && { holders: others }) })
  return { line: `${line}\n`, isOriginTold: row === memory }
}

/** Renders a history event; its session is hidden when the reader may not know the origin. */
function eventLine(row: ExportedEvent, { isOriginTold }: Pick<MemoryLine, 'isOriginTold'>): string {
  const line = wholeEventLine(row)
  return isOriginTold ? line : `${JSON.stringify({ ...JSON.parse(line), sessionId: null })}\n`
}

function wholeEventLine(row: ExportedEvent): string {
  if (row.line !== null) return `${row.line}\n`
  const { start, middle, rest, old_content, new_content, metadata } = row
  return (
    unclosed(start) +
    (old_content === '' ? '' : `,"oldContent":${old_content}`) +
    (new_content === '' ? '' : `,"newContent":${new_content}`) +
    `,${members(middle)},"metadata":${sameJson(metadata)},${members(rest)}}\n`
  )
}

/** A JSON object without its closing brace. */
function unclosed(object: string): string {
  return object.slice(0, -1)
}

/** The members of a JSON object without the braces. */
function members(object: string): string {
  return object.slice(1, -1)
}

/** Normalises JSON to JavaScript's notation. */
function sameJson(json: string | null): string {
  return json === null ? 'null' : JSON.stringify(JSON.parse(json))
}
