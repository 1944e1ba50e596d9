import { inSlices } from '../../../lib/concurrency/every-few-ms.js'
import { takeTokens } from '../text/tokens.js'
import { type Block, blocksOf } from './blocks.js'
import { headingPath } from './heading-path.js'
import { type Piece, piecesOf } from './split.js'

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
