import { createHash } from 'node:crypto'
import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import type { ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { textSlices } from '../../../memory/records/normalise-content.js'

/** The agent whose ontology is read, and the boundary of the caller. */
export interface Reader {
  agentId: string
  boundary: ReadBoundary
}

/** A source that the reader may read. */
export interface ReadableSource {
  state: 'readable'
  /** Projects in which the agent holds it; null means without project. */
  projects: readonly (string | null)[]
  sessionKey: string | null
  /** True if it is visible to its agent only. */
  isPrivate: boolean
  /** Changes whenever the text may have changed. */
  stamp: string
  /** The text in order. Quotes lie within one part; parts are separated by one character. */
  pieces(): AsyncIterable<string> | Iterable<string>
}

/**
 * `forgotten`: it would be readable, but was forgotten. `unclean`: hidden by content safety. `hidden`: not
 * visible to this reader. `gone`: it does not exist.
 */
export type SourceState = ReadableSource | { state: 'forgotten' | 'unclean' | 'hidden' | 'gone' }

/** Reads one kind of source. */
export interface SourceReader {
  kind: SourceKind
  /** Normalises an id that can be written in several ways. */
  idOf?(id: string): string
  open(tables: Tables, reader: Reader, id: string): Promise<SourceState>
}

/** UTF-16 units from the beginning of a source; the end is exclusive. */
export interface Span {
  start: number
  end: number
}

export interface QuoteToLocate {
  quote: string
  /** The earlier position, which is tried first. */
  start?: number | null
}

/** Positions of quotes, undefined for missing ones, and the SHA-256 of the whole text. */
export interface QuoteLocations {
  spans: readonly (Span | undefined)[]
  hash: string
}

/** Finds quotes literally in a source, reading it once. */
export async function locateQuotes(
  source: ReadableSource,
  wanted: readonly QuoteToLocate[],
): Promise<QuoteLocations> {
  const hash = createHash('sha256')
  const breathe = everyFewMs()
  const spans: (Span | undefined)[] = wanted.map(() => undefined)
  let offset = 0
  for await (const piece of source.pieces()) {
    if (offset > 0) hash.update('\n')
    for (const part of textSlices(piece)) {
      hash.update(part)
      await breathe()
    }
    for (const [position, { quote, start }] of wanted.entries()) {
      const at = positionIn(piece, quote, start == null ? undefined : start - offset)
      const isBetter = spans[position] === undefined || (at !== undefined && at + offset === start)
      if (at !== undefined && isBetter)
        spans[position] = { start: offset + at, end: offset + at + quote.length }
    }
    offset += piece.length + 1
  }
  return { spans, hash: hash.digest('hex') }
}

function positionIn(piece: string, quote: string, expected: number | undefined): number | undefined {
  if (expected !== undefined && expected >= 0 && piece.startsWith(quote, expected)) return expected
  const at = piece.indexOf(quote)
  return at < 0 ? undefined : at
}
