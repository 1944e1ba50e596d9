import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import { isVisibleTo, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { withOriginFor } from '../../../store/tables/memory/origin.js'
import type { ExportedEvent } from '../../../store/tables/operations/exported-events.js'
import type { ExportedMemory } from '../../../store/tables/operations/exported-memories.js'
import { firstTold } from '../../memory/records/holders.js'

/** What a memory's line tells beside its row. */
export interface Beside {
  hints?: readonly string[] | undefined
  /** All holders but the first, which the row names. */
  further?: readonly Holder[] | undefined
  /** What the reader may be told of; undefined: everything. */
  boundary: ReadBoundary | undefined
}

/** Lines of a file on a memory. */
interface MemoryLine {
  line: string
  /** Whether the reader may know where it came from. */
  isOriginTold: boolean
}

/** A memory as it stands in a file: all that its row tells but what can be made again. */
export function memoryLine(row: ExportedMemory, { hints = [], further, boundary }: Beside): MemoryLine {
  const { access_count, last_accessed, structured } = row
  const line =
    `${opened(row.head ?? headOf(row))},"access_count":${access_count},"last_accessed":${JSON.stringify(last_accessed)},` +
    `${members(row.rest)},"structured":${sameJson(structured)},"hints":${hints.length === 0 ? '[]' : JSON.stringify(hints)}}`
  return further ? heldLine(line, further, boundary) : { line: `${line}\n`, isOriginTold: true }
}

function headOf({ start, middle, importance, confidence }: ExportedMemory): string {
  return `${opened(start)},"importance":${importance},${members(middle)},"confidence":${confidence}}`
}

/** A memory that several hold, as the reader may know of them. */
function heldLine(text: string, further: readonly Holder[], boundary: ReadBoundary | undefined): MemoryLine {
  const memory = JSON.parse(text) as Parameters<typeof firstHolder>[0]
  const everybody = [firstHolder(memory), ...further]
  const told = boundary ? everybody.filter(holder => isVisibleTo(boundary, holder)) : everybody
  const { shownAs, others } = firstTold(memory, told)
  const row = boundary ? withOriginFor(memory, boundary) : memory
  const line = JSON.stringify({ ...row, ...shownAs, ...(others.length > 0 && { holders: others }) })
  return { line: `${line}\n`, isOriginTold: row === memory }
}

/** A change as it stands behind its memory, with its session where the reader may know where that came from. */
export function eventLine(row: ExportedEvent, { isOriginTold }: Pick<MemoryLine, 'isOriginTold'>): string {
  const line = wholeEventLine(row)
  return isOriginTold ? line : `${JSON.stringify({ ...JSON.parse(line), sessionId: null })}\n`
}

function wholeEventLine(row: ExportedEvent): string {
  if (row.line !== null) return `${row.line}\n`
  const { start, middle, rest, old_content, new_content, metadata } = row
  return (
    opened(start) +
    (old_content === '' ? '' : `,"oldContent":${old_content}`) +
    (new_content === '' ? '' : `,"newContent":${new_content}`) +
    `,${members(middle)},"metadata":${sameJson(metadata)},${members(rest)}}\n`
  )
}

/** An object of JSON that is not closed yet. */
function opened(object: string): string {
  return object.slice(0, -1)
}

/** The members of an object of JSON. */
function members(object: string): string {
  return object.slice(1, -1)
}

/** JSON as JavaScript writes it, whoever wrote it. */
function sameJson(json: string | null): string {
  return json === null ? 'null' : JSON.stringify(JSON.parse(json))
}
