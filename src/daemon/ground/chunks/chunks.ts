import { inSlices } from '../../../lib/concurrency/every-few-ms.js'
import { takeTokens } from '../text/tokens.js'
import { type Block, blocksOf } from './blocks.js'
import { headingPath } from './heading-path.js'
import { type Piece, piecesOf } from './split.js'

/** Tokens of a chunk that are aimed at, and those that no chunk of prose exceeds together with its path. */
export const targetTokens = 220
export const maxTokens = 256

/** A place where a page, a sheet or the like begins. */
export interface Place {
  at: number
}

export interface ChunkSource<Mark extends Place> {
  title: string | null
  /** Markdown, or plain text. */
  text: string
  plain?: boolean
  /** In the order of their places. */
  marks?: readonly Mark[]
}

export interface Chunk<Mark extends Place = Place> {
  /** Counted from 0. */
  index: number
  /** Where its own text lies in the source, in UTF-16 units. The chunks of a text follow each other without a gap. */
  start: number
  end: number
  /** Its own text without blank lines around it, between what is repeated and what was added. */
  content: string
  /** So many units at the beginning of `content` repeat earlier text: a sentence, the header of a table, a fence. */
  repeated: number
  /** So many units at its end are in no source: the end of a fence that goes on in the next chunk. */
  added: number
  /** Title and headings that it stands under, `title > h1 > h2`; not in `content`. */
  path: string
  /** The marks in which it begins and ends; null before the first. */
  from: Mark | null
  to: Mark | null
}

/** Cuts a text into chunks, with turns for others in between (documents.md#chunks). @param breathe as of `inSlices` */
export function chunksOf<Mark extends Place>(
  source: ChunkSource<Mark>,
  breathe?: () => Promise<void> | undefined,
): Promise<Chunk<Mark>[]> {
  return inSlices(chunkSteps(source), breathe)
}

/** What embedding and index get: the headings in front of the text. */
export function withPath({ path, content }: Pick<Chunk, 'path' | 'content'>): string {
  return path === '' ? content : `${path}\n${content}`
}

/** The chunk that blocks are put into. */
interface Open extends Piece {
  /** Until it holds more than headings. */
  onlyHeadings: boolean
}

/** The steps of `chunksOf`, each about as long as a chunk. */
export function* chunkSteps<Mark extends Place>(
  source: ChunkSource<Mark>,
): Generator<undefined, Chunk<Mark>[]> {
  const { text, title, plain, marks = [] } = source
  const path = headingPath(title)
  const out = collector(text, marks)
  let open: Open | undefined
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

/** Whether a block goes into the chunk before it: a section begins a chunk, and headings stay with what follows them. */
function belongs(open: Open, block: Block, tokens: number, limit: number): boolean {
  if (block.kind === 'heading') return open.onlyHeadings && open.tokens + tokens <= limit
  if (open.onlyHeadings) return open.tokens <= limit / 2
  return open.tokens + tokens <= limit
}

function joinedTo(open: Open, piece: Piece): Piece {
  return { ...piece, start: open.start, tokens: open.tokens + piece.tokens }
}

interface Collector<Mark extends Place> {
  chunks: Chunk<Mark>[]
  add(piece: Piece, path: string): void
}

function collector<Mark extends Place>(text: string, marks: readonly Mark[]): Collector<Mark> {
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
      // Nothing but blanks, out of the middle of very many.
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

/** Blank lines before a text go, the indentation of its first line stays. */
function withoutBlanks(text: string): string {
  const body = text.trimEnd()
  const blanks = body.length - body.trimStart().length
  return body.slice(body.lastIndexOf('\n', blanks) + 1)
}
