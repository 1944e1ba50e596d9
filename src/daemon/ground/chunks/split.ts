import { isSpace, takeTokens } from '../text/tokens.js'
import type { Block } from './blocks.js'

/** A part of a block that is larger than a chunk. Pieces follow each other without a gap. */
export interface Piece {
  start: number
  end: number
  tokens: number
  /** Earlier text repeated before the piece. */
  before: string
  /** Closing line appended after the piece. */
  after: string
}

/** A last sentence of more tokens than this share of a chunk is not repeated. */
const overlapShare = 1 / 4
/** Cuts fall only in the last part of a piece, which keeps pieces from getting too short. */
const earliestCut = 0.4
const overlapUnits = 400

/** Splits an oversized block. @param first token limit of the first piece; `limit` applies to all others. */
export function piecesOf(text: string, block: Block, limit: number, first: number): Generator<Piece> {
  return block.kind === 'text'
    ? piecesOfText(text, block.start, block.end, limit, first)
    : piecesOfRows(text, block, limit, first)
}

/** Cuts prose after a sentence, which the next piece repeats; otherwise at white space, or anywhere. */
function* piecesOfText(
  text: string,
  start: number,
  end: number,
  limit: number,
  first: number,
): Generator<Piece> {
  let from = start
  let overlap = { start, tokens: 0 }
  for (let room = first; from < end; room = limit - overlap.tokens) {
    const { end: furthest } = takeTokens(text, from, end, room)
    const cut = furthest < end ? cutBefore(text, from, furthest) : { at: end, isSentence: false }
    const tokens = overlap.tokens + takeTokens(text, from, cut.at, room).tokens
    yield { start: from, end: cut.at, tokens, before: text.slice(overlap.start, from), after: '' }
    overlap = cut.isSentence ? lastSentence(text, from, cut.at, limit) : { start: cut.at, tokens: 0 }
    from = cut.at
  }
}

/** Splits table rows or fence lines; each piece repeats the header or the opening line. */
function* piecesOfRows(text: string, block: Block, limit: number, first: number): Generator<Piece> {
  const head = takeTokens(text, block.start, block.headEnd, limit)
  const isRepeated = head.end === block.headEnd && head.tokens <= limit / 2
  const before = isRepeated ? text.slice(block.start, block.headEnd) : ''
  let room = first
  let piece: Piece = { start: block.start, end: block.start, tokens: 0, before: '', after: block.closing }
  for (const row of rowsOf(text, block, limit - (isRepeated ? head.tokens : 0))) {
    if (piece.tokens + row.tokens > room && piece.end > piece.start) {
      yield piece
      piece = { ...piece, start: row.start, before, tokens: isRepeated ? head.tokens : 0 }
      room = limit
    }
    piece.end = row.end
    piece.tokens += row.tokens
  }
  // The last piece already ends like the block: with its own closing line, or with none.
  yield { ...piece, after: '' }
}

/** Lines; a line longer than a piece is split. */
function* rowsOf(
  text: string,
  { start, end }: Block,
  most: number,
): Generator<{ start: number; end: number; tokens: number }> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at)
    const lineEnd = newline < 0 || newline >= end ? end : newline + 1
    const taken = takeTokens(text, at, lineEnd, most)
    const cut = taken.end < lineEnd ? cutBefore(text, at, taken.end).at : lineEnd
    yield { start: at, end: cut, tokens: taken.tokens }
    at = cut
  }
}

function cutBefore(text: string, from: number, furthest: number): { at: number; isSentence: boolean } {
  const earliest = from + Math.floor((furthest - from) * earliestCut)
  for (let at = furthest; at > earliest; at--) if (endsSentence(text, at)) return { at, isSentence: true }
  for (let at = furthest; at > earliest; at--)
    if (isSpace(text.charCodeAt(at - 1)) && !isSpace(text.charCodeAt(at))) return { at, isSentence: false }
  return { at: furthest, isSentence: false }
}

/** The sentence before a cut, unless it is long or fills the whole piece. */
function lastSentence(
  text: string,
  from: number,
  cut: number,
  limit: number,
): { start: number; tokens: number } {
  const none = { start: cut, tokens: 0 }
  for (let at = cut - 1; at > from && at > cut - overlapUnits; at--) {
    if (!endsSentence(text, at)) continue
    const { tokens } = takeTokens(text, at, cut, limit)
    return tokens <= limit * overlapShare ? { start: at, tokens } : none
  }
  return none
}

/** True if a sentence may start here: after a blank that follows `.`, after `。`, or on a new line. */
function endsSentence(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  if (isSpace(text.charCodeAt(at))) return false
  if (before === 0x0a) return true
  if (wideStops.has(before)) return !wideStops.has(text.charCodeAt(at))
  return isSpace(before) && stops.has(text.charCodeAt(at - 2))
}

const codes = (characters: string): ReadonlySet<number> =>
  new Set([...characters].map(one => one.charCodeAt(0)))
const stops = codes('.!?…;:"\')”’»')
const wideStops = codes('。！？')
