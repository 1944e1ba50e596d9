import { AppError } from '../../../contract/ground/errors.js'
import type { TransferLine, TransferredEvent } from '../../../contract/operations/transfer.js'
import { type NumberedLine, type ParsedMemory, parseRawLine, type RawLine } from './read-block.js'

interface EntryLines {
  line: number
  /** Approximate bytes of its lines. */
  size: number
}

/** A memory with its history, which are adjacent in a file. */
export interface MemoryEntry extends ParsedMemory, EntryLines {
  events: TransferredEvent[]
}

/** A memory whose id is already stored. */
export interface KnownEntry extends EntryLines {
  kind: 'known'
  id: string
  text: RawLine
  events: (TransferredEvent | RawLine)[]
}

export type Entry =
  | MemoryEntry
  | KnownEntry
  | { kind: 'agent'; agent: Extract<TransferLine, { kind: 'agent' }> }
  | { kind: 'end' }
  /** The last entry of a file that is not text from this line on. */
  | { kind: 'unreadable'; line: number; message: string }

export interface ReadOptions {
  /** Added to line numbers. */
  lineOffset: number
  /** Called with each faulty line, which is then skipped. */
  onFault: (line: number, message: string) => void
}

/**
 * Groups lines into complete entries. A faulty event skips its memory too, so that the corrected file imports
 * both.
 * @throws AppError `validation_failed` for a file that is not an export
 */
export async function* readEntries(
  blocks: AsyncIterable<readonly NumberedLine[]>,
  { lineOffset, onFault }: ReadOptions,
): AsyncGenerator<Entry> {
  const state: { header: boolean; faulty: boolean; memory?: MemoryEntry | KnownEntry | undefined } = {
    header: false,
    faulty: false,
  }
  for await (const lines of blocks)
    for (const line of lines) {
      const at = lineOffset + line.number
      if (!state.header && (line.kind === 'faulty' || line.kind === 'unreadable'))
        refuseFile(at, line.message)
      if (line.kind === 'faulty') onFault(at, line.message)
      if (line.kind === 'faulty' && line.isEvent) {
        state.memory = undefined
        state.faulty = true
        continue
      }
      if (line.kind === 'event') {
        const { memoryId, event } = line
        if (state.memory && idOf(state.memory) === memoryId) addEvent(state.memory, event, line.size)
        // After a faulty line of a memory, its events are skipped without a fault of their own.
        else if (!state.faulty) onFault(at, `an event of ${memoryId} must follow that memory`)
        continue
      }
      if (state.memory) yield state.memory
      state.memory = undefined
      state.faulty = line.kind === 'faulty'
      if (!state.header) requireHeader(at, line)
      state.header = true
      if (line.kind === 'memory') {
        const { row, hints, holders, size } = line
        state.memory = { kind: 'memory', line: at, row, hints, holders, events: [], size }
      } else if (line.kind === 'known') {
        const { id, text, size } = line
        state.memory = { kind: 'known', line: at, id, text, events: [], size }
      } else if (line.kind === 'agent') yield { kind: 'agent', agent: line.agent }
      else if (line.kind === 'end') yield { kind: 'end' }
      else if (line.kind === 'unreadable') {
        yield { kind: 'unreadable', line: at, message: line.message }
        return
      }
    }
  if (!state.header) refuseFile(lineOffset + 1, 'the file is empty')
  if (state.memory) yield state.memory
}

function idOf(entry: MemoryEntry | KnownEntry): string {
  return entry.kind === 'known' ? entry.id : entry.row.id
}

function addEvent(entry: MemoryEntry | KnownEntry, event: TransferredEvent | RawLine, size: number): void {
  if (entry.kind === 'known') entry.events.push(event)
  else entry.events.push(wholeEvent(event))
  entry.size += size
}

/** The complete entry of a memory that was known when it was read. */
export function wholeEntry({ line, text, events, size }: KnownEntry): MemoryEntry {
  const memory = parseRawLine(text)
  if (memory.kind !== 'memory') throw new Error('a known line is not a memory')
  const { row, hints, holders } = memory
  return { kind: 'memory', line, row, hints, holders, events: events.map(wholeEvent), size }
}

function wholeEvent(event: TransferredEvent | RawLine): TransferredEvent {
  if (typeof event !== 'string') return event
  const read = parseRawLine(event)
  if (read.kind !== 'event') throw new Error('a known line is not an event')
  return wholeEvent(read.event)
}

function requireHeader(number: number, line: NumberedLine): void {
  if (line.kind !== 'header') refuseFile(number, 'the first line must be the header of an export')
}

function refuseFile(number: number, message: string): never {
  throw faultyLine(number, message, 'nothing was imported: use a file written by memory export')
}

/** @param advice the fate of earlier lines, and what to do */
export function faultyLine(number: number, message: string, advice: string): AppError {
  return new AppError('validation_failed', `line ${number}: ${message}; ${advice}`, [
    { path: `line ${number}`, message },
  ])
}
