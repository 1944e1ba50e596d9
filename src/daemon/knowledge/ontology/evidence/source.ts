import { createHash } from 'node:crypto'
import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import type { ReadBoundary } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { pieces } from '../../../memory/records/normalise-content.js'

/** Who reads a source: in the name of the agent whose ontology it is, within what its caller may read. */
export interface Reader {
  agentId: string
  boundary: ReadBoundary
}

/** A source whose text the reader may read. */
export interface ReadableSource {
  state: 'readable'
  /** Where the agent keeps it; null is no project. */
  projects: readonly (string | null)[]
  sessionKey: string | null
  /** Whether it is told to nobody but its agent. */
  isPrivate: boolean
  /** Another one means that the text may be another. */
  stamp: string
  /** The text in its order; a quote stands in one piece, and one character is between two. */
  pieces(): AsyncIterable<string> | Iterable<string>
}

/**
 * `forgotten`: the reader might read it, had it not been forgotten. `unclean`: content safety keeps it out of contexts.
 * `hidden`: it is not for this reader. `gone`: there is none.
 */
export type SourceState = ReadableSource | { state: 'forgotten' | 'unclean' | 'hidden' | 'gone' }

/** One kind of what evidence is drawn from. */
export interface SourceReader {
  kind: SourceKind
  /** The id as it is kept, of one that may be written in several ways. */
  idOf?(id: string): string
  open(tables: Tables, reader: Reader, id: string): Promise<SourceState>
}

/** UTF-16 units from the beginning of a source; the end is exclusive. */
export interface Span {
  start: number
  end: number
}

export interface Wanted {
  quote: string
  /** Where it stood; looked at first. */
  start?: number | null
}

/** The places of quotes, undefined for those that are not there, and the SHA-256 of the whole text. */
export interface Located {
  spans: readonly (Span | undefined)[]
  hash: string
}

/** Looks for quotes word for word in a source, reading it once. */
export async function locate(source: ReadableSource, wanted: readonly Wanted[]): Promise<Located> {
  const hash = createHash('sha256')
  const breathe = everyFewMs()
  const spans: (Span | undefined)[] = wanted.map(() => undefined)
  let offset = 0
  for await (const piece of source.pieces()) {
    if (offset > 0) hash.update('\n')
    for (const part of pieces(piece)) {
      hash.update(part)
      await breathe()
    }
    for (const [position, { quote, start }] of wanted.entries()) {
      const at = placeIn(piece, quote, start == null ? undefined : start - offset)
      const isBetter = spans[position] === undefined || (at !== undefined && at + offset === start)
      if (at !== undefined && isBetter)
        spans[position] = { start: offset + at, end: offset + at + quote.length }
    }
    offset += piece.length + 1
  }
  return { spans, hash: hash.digest('hex') }
}

function placeIn(piece: string, quote: string, expected: number | undefined): number | undefined {
  if (expected !== undefined && expected >= 0 && piece.startsWith(quote, expected)) return expected
  const at = piece.indexOf(quote)
  return at < 0 ? undefined : at
}
