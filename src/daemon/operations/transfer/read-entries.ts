import { AppError } from '../../../contract/ground/errors.js'
import {
  type TransferLine,
  type TransferredEvent,
  type TransferredMemory,
  transferLine,
} from '../../../contract/operations/transfer.js'
import { type Line, LineFault, maxLineBytes, readLines } from '../../../lib/lines.js'
import { parseInput } from '../../platform/http/errors.js'
import { assertStorable } from '../../platform/http/storable.js'

/** A memory with its history, as they stand together in a file. */
export interface MemoryEntry {
  kind: 'memory'
  line: number
  memory: TransferredMemory
  events: TransferredEvent[]
  /** Bytes of its lines, about. */
  size: number
}

export type Entry =
  | MemoryEntry
  | { kind: 'agent'; agent: Extract<TransferLine, { kind: 'agent' }> }
  | { kind: 'end' }
  /** The last entry of what is no text from this line on. */
  | { kind: 'unreadable'; line: number; message: string }

export interface ReadOptions {
  /** Added to line numbers. */
  lineOffset: number
  /** Called with each faulty line, which is then left out. */
  onFault: (line: number, message: string) => void
}

/** A line that is no JSON may be an event all the same. */
const event = /"kind"\s*:\s*"event"/u

/**
 * The entries of an export, each whole: a memory goes with an event of it that is faulty, so that the corrected file
 * brings both.
 * @throws AppError `validation_failed` for what is no export.
 */
export async function* readEntries(
  content: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<Entry> {
  const { lineOffset, onFault } = options
  const state: { header: boolean; faulty: boolean; memory?: MemoryEntry | undefined } = {
    header: false,
    faulty: false,
  }
  try {
    for await (const { number, text } of readLines(content, maxLineBytes)) {
      const at = lineOffset + number
      const line = parseLine({ number: at, text }, state.header ? onFault : refuseFile)
      if (!line && event.test(text)) {
        state.memory = undefined
        state.faulty = true
        continue
      }
      if (line?.kind === 'event') {
        if (state.memory?.memory.id === line.memoryId) addEvent(state.memory, line, text.length)
        // After a faulty line of a memory, its events are skipped without a fault of their own.
        else if (!state.faulty) onFault(at, `an event of ${line.memoryId} must stand behind that memory`)
        continue
      }
      if (state.memory) yield state.memory
      state.memory = undefined
      state.faulty = line === undefined
      if (!state.header) requireHeader(at, line)
      state.header = true
      if (line?.kind === 'memory')
        state.memory = { kind: 'memory', line: at, memory: line, events: [], size: text.length }
      else if (line?.kind === 'agent') yield { kind: 'agent', agent: line }
      else if (line?.kind === 'end') yield { kind: 'end' }
    }
  } catch (error) {
    if (!(error instanceof LineFault)) throw error
    if (!state.header) refuseFile(lineOffset + error.line, error.message)
    if (state.memory) yield state.memory
    yield { kind: 'unreadable', line: lineOffset + error.line, message: error.message }
    return
  }
  if (!state.header) refuseFile(lineOffset + 1, 'there is nothing here')
  if (state.memory) yield state.memory
}

function addEvent(entry: MemoryEntry, event: TransferredEvent, size: number): void {
  entry.events.push(event)
  entry.size += size
}

function parseLine(
  { number, text }: Line,
  onFault: (line: number, message: string) => void,
): TransferLine | undefined {
  try {
    const value: unknown = JSON.parse(text)
    assertStorable(value, '')
    return parseInput(transferLine, value)
  } catch (error) {
    if (error instanceof AppError) onFault(number, error.message.trim())
    else if (error instanceof SyntaxError) onFault(number, 'is not JSON')
    else throw error
    return undefined
  }
}

function requireHeader(number: number, line: TransferLine | undefined): void {
  if (line?.kind !== 'header') refuseFile(number, 'the first line must be the header of an export')
}

function refuseFile(number: number, message: string): never {
  throw faultyLine(number, message, 'nothing was imported: give a file that memory export wrote')
}

/** @param advice what became of the lines before it, and what to do. */
export function faultyLine(number: number, message: string, advice: string): AppError {
  return new AppError('validation_failed', `line ${number}: ${message}; ${advice}`, [
    { path: `line ${number}`, message },
  ])
}
