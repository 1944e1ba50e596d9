import { AppError } from '../../../contract/ground/errors.js'
import {
  type TransferLine,
  type TransferredEvent,
  transferLine,
} from '../../../contract/operations/transfer.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { type Line, LineFault, maxLineBytes, readLines } from '../../../lib/files/lines.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import { createSimilarJudge } from '../../memory/records/judge-memory.js'
import { assertStorable } from '../../platform/http/bodies/json-shape.js'
import { parseInput } from '../../platform/http/errors.js'
import { importedRow, type NamedHolders, possibleClaims, storedClaimants } from './imported-row.js'

/** A memory of a file, prepared as far as the file alone allows. */
export interface ParsedMemory {
  kind: 'memory'
  /** Scanned for safety unless its content or key was known; {@link importedRow} lists what is missing. */
  row: MemoryRow
  hints: readonly string[]
  holders: NamedHolders
}

/** A valid line that is probably not needed; `parseRawLine` parses it later. */
export type RawLine = string

export type ParsedLine =
  | ParsedMemory
  /** A memory whose id is already stored. */
  | { kind: 'known'; id: string; text: RawLine }
  | { kind: 'header' }
  | { kind: 'agent'; agent: Extract<TransferLine, { kind: 'agent' }> }
  | { kind: 'event'; memoryId: string; event: TransferredEvent | RawLine }
  | { kind: 'end' }
  /** A faulty line; it may still be meant as an event. */
  | { kind: 'faulty'; message: string; isEvent: boolean }
  /** The last line of a block that is not text from here on. */
  | { kind: 'unreadable'; message: string }

/** A line with its number in the block, from 1, and its length in characters. */
export type NumberedLine = ParsedLine & { number: number; size: number }

/** Some lines of a file; empty ones only count. */
export interface ParsedBlock {
  lines: NumberedLine[]
  /** Line ends in the block. */
  ends: number
}

/** Parses a block of whole lines. @param breathe called between steps of work, as in `inSlices` */
export type BlockReader = (
  block: Uint8Array,
  breathe?: () => Promise<void> | undefined,
) => Promise<ParsedBlock>

/** Lookups while a block is read; the answers may change before its memories are stored. */
export type StoredMemories = Pick<Tables['transfer'], 'storedIds' | 'claimants'>

/** Recognises a line that is invalid JSON but may be an event. */
const event = /"kind"\s*:\s*"event"/u
const lineEnd = 10

/**
 * Parses, hashes and scans an export block by block: the expensive part of an import. Memories already stored
 * are validated, but neither hashed nor scanned.
 */
export function createBlockReader(stored: StoredMemories): BlockReader {
  const judge = createSimilarJudge()
  return async (block, breathe = everyFewMs()) => {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    const valid = await validLines(bytes, breathe)
    const known = await knownIds(stored, valid)
    const lines = valid.map(line => ('kind' in line ? line : toParsedLine(line, known)))
    const claimants = await storedClaimants(stored, lines.flatMap(rowOf))
    for (const line of lines) {
      if (line.kind !== 'memory' || possibleClaims(line.row).some(claim => claimants.has(claim))) continue
      Object.assign(line.row, await judge(line.row, line.hints, line.row.safety_scanned_at, breathe))
      const pause = breathe()
      if (pause) await pause
    }
    return { lines, ends: endsIn(bytes) }
  }
}

interface ValidLine {
  number: number
  text: string
  line: TransferLine
}

/** @returns faulty lines with their error */
async function validLines(
  bytes: Buffer,
  breathe: () => Promise<void> | undefined,
): Promise<(ValidLine | NumberedLine)[]> {
  const lines: (ValidLine | NumberedLine)[] = []
  try {
    for await (const line of readLines(singleChunk(bytes), maxLineBytes)) {
      lines.push(validated(line))
      const pause = breathe()
      if (pause) await pause
    }
  } catch (error) {
    if (!(error instanceof LineFault)) throw error
    lines.push({ kind: 'unreadable', message: error.message, number: error.line, size: 0 })
  }
  return lines
}

async function* singleChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

function endsIn(bytes: Buffer): number {
  let ends = 0
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) ends++
  return ends
}

function validated({ number, text }: Line): ValidLine | NumberedLine {
  try {
    return { number, text, line: parsed(text) }
  } catch (error) {
    const message = faultOf(error)
    if (message === undefined) throw error
    return { kind: 'faulty', message, isEvent: event.test(text), number, size: text.length }
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

function knownIds(
  stored: StoredMemories,
  lines: readonly (ValidLine | NumberedLine)[],
): Promise<Set<string>> {
  return stored.storedIds(
    lines.flatMap(one => ('line' in one && one.line.kind === 'memory' ? one.line.id : [])),
  )
}

function rowOf(line: NumberedLine): MemoryRow[] {
  return line.kind === 'memory' ? [line.row] : []
}

/** Builds complete object literals, because extending a spread copy is slow. @param known stored ids */
function toParsedLine({ line, number, text }: ValidLine, known?: ReadonlySet<string>): NumberedLine {
  const size = text.length
  if (line.kind === 'event') {
    const { memoryId } = line
    return { kind: 'event', number, size, memoryId, event: known?.has(memoryId) ? text : line }
  }
  if (line.kind === 'agent') return { kind: 'agent', number, size, agent: line }
  if (line.kind !== 'memory') return { kind: line.kind, number, size }
  const { id, hints, holders } = line
  if (known?.has(id)) return { kind: 'known', number, size, id, text }
  return { kind: 'memory', number, size, row: importedRow(line), hints, holders }
}

/** Parses a line that was read as already known. */
export function parseRawLine(text: RawLine): NumberedLine {
  return toParsedLine({ number: 0, text, line: parsed(text) })
}
