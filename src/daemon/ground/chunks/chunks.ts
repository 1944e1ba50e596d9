import { inSlices } from '../../../lib/concurrency/every-few-ms.js'
import { isSpace, takeTokens } from '../text/tokens.js'
import { type Block, blocksOf, headingPath } from './blocks.js'

/** A part of a block that is larger than a chunk. Pieces follow each other without a gap. */
interface Piece {
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
function piecesOf(text: string, block: Block, limit: number, first: number): Generator<Piece> {
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

/** Target size of a chunk, and the maximum for prose together with its heading path. */
export const targetTokens = 220
export const maxTokens = 256

/** The start of a page, sheet or similar part of the source. */
export interface ChunkMark {
  at: number
}

export interface ChunkSource<Mark extends ChunkMark> {
  title: string | null
  /** Markdown, or plain text if `plain` is set. */
  text: string
  plain?: boolean
  /** In the order of their offsets. */
  marks?: readonly Mark[]
}

export interface Chunk<Mark extends ChunkMark = ChunkMark> {
  /** Counted from 0. */
  index: number
  /** Offsets of its own text in the source, in UTF-16 units. Chunks follow each other without a gap. */
  start: number
  end: number
  /** Own text without surrounding blank lines, between the repeated and the added text. */
  content: string
  /** Units at the start of `content` that repeat earlier text: a sentence, a table header, a fence. */
  repeated: number
  /** Units at the end of `content` that the source does not contain: the end of a fence that continues. */
  added: number
  /** Title and headings above the chunk, `title > h1 > h2`; not in `content`. */
  path: string
  /** Marks of the chunk's start and end; null before the first mark. */
  from: Mark | null
  to: Mark | null
}

/**
 * Splits a text into chunks, pausing for other work in between (documents.md#chunks). @param breathe see
 * `inSlices`
 */
export function chunksOf<Mark extends ChunkMark>(
  source: ChunkSource<Mark>,
  breathe?: () => Promise<void> | undefined,
): Promise<Chunk<Mark>[]> {
  return inSlices(chunkSteps(source), breathe)
}

/** The text to embed and index: headings before the content. */
export function withPath({ path, content }: Pick<Chunk, 'path' | 'content'>): string {
  return path === '' ? content : `${path}\n${content}`
}

/** The chunk that blocks are being added to. */
interface OpenChunk extends Piece {
  /** True until it contains anything but headings. */
  onlyHeadings: boolean
}

/** The steps of `chunksOf`, each about as long as a chunk. */
export function* chunkSteps<Mark extends ChunkMark>(
  source: ChunkSource<Mark>,
): Generator<undefined, Chunk<Mark>[]> {
  const { text, title, plain, marks = [] } = source
  const path = headingPath(title)
  const out = collector(text, marks)
  let open: OpenChunk | undefined
  const limit = (): number => Math.min(targetTokens, maxTokens - path.tokens() - 1)
  const flush = (): void => {
    if (open) out.add(open, path.text())
    open = undefined
  }
  const append = ({ start, end, kind }: Block, tokens: number): void => {
    open ??= { start, end, tokens: 0, before: '', after: '', onlyHeadings: true }
    open.end = end
    open.tokens += tokens
    open.onlyHeadings &&= kind === 'heading'
  }
  for (const block of blocksOf(text, plain)) {
    yield
    if (!block) continue
    const whole = block.kind === 'fence' || block.kind === 'table' ? limit() * 2 : limit()
    const { tokens, end } = takeTokens(text, block.start, block.end, whole)
    const isWhole = end === block.end
    if (open && !belongs(open, block, isWhole ? tokens : Number.POSITIVE_INFINITY, limit())) flush()
    if (block.kind === 'heading') path.enter(block.level, text.slice(block.start, block.end))
    if (isWhole && (!open || open.tokens + tokens <= Math.max(limit(), whole))) {
      append(block, tokens)
      continue
    }
    for (const piece of piecesOf(text, block, limit(), limit() - (open?.tokens ?? 0))) {
      yield
      if (open?.onlyHeadings) open = { ...joinedTo(open, piece), onlyHeadings: false }
      else {
        flush()
        open = { ...piece, onlyHeadings: false }
      }
    }
  }
  flush()
  return out.chunks
}

/** True if a block joins the open chunk: sections start a new chunk, and headings stay with their text. */
function belongs(open: OpenChunk, block: Block, tokens: number, limit: number): boolean {
  if (block.kind === 'heading') return open.onlyHeadings && open.tokens + tokens <= limit
  if (open.onlyHeadings) return open.tokens <= limit / 2
  return open.tokens + tokens <= limit
}

function joinedTo(open: OpenChunk, piece: Piece): Piece {
  return { ...piece, start: open.start, tokens: open.tokens + piece.tokens }
}

interface Collector<Mark extends ChunkMark> {
  chunks: Chunk<Mark>[]
  add(piece: Piece, path: string): void
}

function collector<Mark extends ChunkMark>(text: string, marks: readonly Mark[]): Collector<Mark> {
  const chunks: Chunk<Mark>[] = []
  let next = 0
  let from: Mark | null = null
  const markBefore = (place: number): Mark | null => {
    for (let mark = marks[next]; mark && mark.at < place; mark = marks[++next]) from = mark
    return from
  }
  return {
    chunks,
    add: ({ start, end, before, after }, path) => {
      const own = withoutBlanks(text.slice(start, end))
      const last = chunks.at(-1)
      // A stretch of blanks extends the previous chunk.
      if (own === '' && last) last.end = end
      if (own === '') return
      const added = after === '' ? '' : `\n${after}`
      chunks.push({
        index: chunks.length,
        start: last?.end ?? 0,
        end,
        content: before + own + added,
        repeated: before.length,
        added: added.length,
        path,
        from: markBefore(start + 1),
        to: markBefore(end),
      })
    },
  }
}

/** Drops blank lines before the text but keeps the indentation of its first line. */
function withoutBlanks(text: string): string {
  const body = text.trimEnd()
  const blanks = body.length - body.trimStart().length
  return body.slice(body.lastIndexOf('\n', blanks) + 1)
}
