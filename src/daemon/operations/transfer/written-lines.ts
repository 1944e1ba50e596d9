import { firstHolder, type Holder } from '../../../store/tables/memory/holders.js'
import { isVisibleTo, type ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { withOriginFor } from '../../../store/tables/memory/origin.js'
import type { ExportedEvent } from '../../../store/tables/operations/exported-events.js'
import type { ExportedMemory } from '../../../store/tables/operations/exported-memories.js'
import { shownHolder } from '../../memory/records/holders.js'

/** Data of a memory's line that is not in its row. */
export interface MemoryDetails {
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
export function memoryLine(
  row: ExportedMemory,
  { hints = [], further, boundary }: MemoryDetails,
): MemoryLine {
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
export function eventLine(row: ExportedEvent, { isOriginTold }: Pick<MemoryLine, 'isOriginTold'>): string {
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
