import { AppError } from '../../../contract/ground/errors.js'
import {
  type TransferLine,
  type TransferredEvent,
  transferLine,
} from '../../../contract/operations/transfer.js'
import { everyFewMs } from '../../../lib/every-few-ms.js'
import { type Line, LineFault, maxLineBytes, readLines } from '../../../lib/lines.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { judgeAlike } from '../../memory/records/judge-memory.js'
import { parseInput } from '../../platform/http/errors.js'
import { assertStorable } from '../../platform/http/storable.js'
import { importedRow, type NamedHolders } from './imported-row.js'

/** A memory as a file tells of it, ready to be stored as far as the file alone can say. */
export interface ReadMemory {
  kind: 'memory'
  /** Judged; see {@link importedRow} for what it does not know. */
  row: MemoryRow
  hints: readonly string[]
  holders: NamedHolders
}

export type ReadLine =
  | ReadMemory
  | { kind: 'header' }
  | { kind: 'agent'; agent: Extract<TransferLine, { kind: 'agent' }> }
  | { kind: 'event'; event: TransferredEvent }
  | { kind: 'end' }
  /** A line that is at fault; an event may be meant all the same. */
  | { kind: 'faulty'; message: string; isEvent: boolean }
  /** The last line of a block that is no text from here on. */
  | { kind: 'unreadable'; message: string }

/** A line with its number in its block, counted from 1, and its length in characters. */
export type NumberedLine = ReadLine & { number: number; size: number }

/** Some lines of a file; empty ones are counted alone. */
export interface ReadBlock {
  lines: NumberedLine[]
  /** Line ends in the block. */
  ends: number
}

/** Reads lines that end with the block. @param breathe called between steps of work, as of `inSlices` */
export type BlockReader = (block: Uint8Array, breathe?: () => Promise<void> | undefined) => Promise<ReadBlock>

/** A line that is no JSON may be an event all the same. */
const event = /"kind"\s*:\s*"event"/u
const lineEnd = 10

/** Reads what an export holds, a block of lines after the other: what is dear of an import and needs nothing that is stored. */
export function createBlockReader(): BlockReader {
  const judge = judgeAlike()
  return async (block, breathe = everyFewMs()) => {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    const lines: NumberedLine[] = []
    try {
      for await (const line of readLines(alone(bytes), maxLineBytes)) {
        const read = readLine(line)
        if (read.kind === 'memory')
          Object.assign(read.row, await judge(read.row, read.hints, read.row.safety_scanned_at, breathe))
        lines.push(read)
        const pause = breathe()
        if (pause) await pause
      }
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      lines.push({ kind: 'unreadable', message: error.message, number: error.line, size: 0 })
    }
    return { lines, ends: endsIn(bytes) }
  }
}

async function* alone(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

function endsIn(bytes: Buffer): number {
  let ends = 0
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) ends++
  return ends
}

function readLine({ number, text }: Line): NumberedLine {
  const at = { number, size: text.length }
  try {
    return asRead(parsed(text), at)
  } catch (error) {
    const message = faultOf(error)
    if (message === undefined) throw error
    return { kind: 'faulty', message, isEvent: event.test(text), ...at }
  }
}

function faultOf(error: unknown): string | undefined {
  if (error instanceof AppError) return error.message.trim()
  return error instanceof SyntaxError ? 'is not JSON' : undefined
}

function parsed(text: string): TransferLine {
  const value: unknown = JSON.parse(text)
  assertStorable(value, '')
  return parseInput(transferLine, value)
}

/** Written whole: a copy that goes on behind a spread is slow wherever it is read. */
function asRead(line: TransferLine, { number, size }: { number: number; size: number }): NumberedLine {
  if (line.kind === 'event') return { kind: 'event', number, size, event: line }
  if (line.kind === 'agent') return { kind: 'agent', number, size, agent: line }
  if (line.kind !== 'memory') return { kind: line.kind, number, size }
  const { hints, holders } = line
  return { kind: 'memory', number, size, row: importedRow(line), hints, holders }
}
