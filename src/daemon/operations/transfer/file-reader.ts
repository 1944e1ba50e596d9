import { maxLineBytes } from '../../../lib/files/lines.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type AskTransfer, transferThread } from './ask-transfer.js'
import {
  type BlockReader,
  createBlockReader,
  type NumberedLine,
  type ReadBlock,
  type StoredMemories,
} from './read-block.js'

/** So much of a file is read here: a small one is not worth the start of a thread. */
const bytesHere = 256 * 1024
/** Blocks, or bytes of them, that are read before they are asked for. */
const blocksAhead = 3
const bytesAhead = 1024 * 1024
const lineEnd = 10

/** The lines of a file, read and judged: those of a large one in the thread of imports. */
export function readFileLines(
  deps: Pick<Daemon, 'store' | 'log'>,
  content: AsyncIterable<Buffer>,
  breathe: () => Promise<void> | undefined,
): AsyncGenerator<NumberedLine[]> {
  return linesAhead(content, readerWith(transferThread(deps), deps.store, breathe))
}

/** Reads the beginning of a file here and the rest in the thread, if there is one. */
export function readerWith(
  ask: AskTransfer,
  { tables }: { tables: { transfer: StoredMemories } },
  breathe: () => Promise<void> | undefined,
): BlockReader {
  const readHere = createBlockReader(tables.transfer)
  let readBytes = 0
  return block => {
    readBytes += block.length
    const here = () => readHere(block, breathe)
    return readBytes <= bytesHere ? here() : ask('block', [block], here)
  }
}

interface Ahead {
  read: Promise<ReadBlock>
  bytes: number
}

/** The lines of a file in their order, some at once, numbered from its start, and read a little before somebody takes them. */
export async function* linesAhead(
  content: AsyncIterable<Buffer>,
  read: BlockReader,
): AsyncGenerator<NumberedLine[]> {
  const ahead: Ahead[] = []
  const isFull = () =>
    ahead.length > blocksAhead || ahead.reduce((sum, { bytes }) => sum + bytes, 0) > bytesAhead
  let before = 0
  const first = async (): Promise<NumberedLine[]> => {
    const { lines, ends } = await (ahead.shift() as Ahead).read
    for (const line of lines) line.number += before
    before += ends
    return lines
  }
  for await (const block of blocksOf(content)) {
    const reading = read(block)
    // Whoever takes it hears of it.
    reading.catch(() => undefined)
    ahead.push({ read: reading, bytes: block.length })
    while (isFull()) yield await first()
  }
  while (ahead.length > 0) yield await first()
}

/** A stream in blocks of whole lines, about as it comes; a line that is too long is a block that has no end. */
async function* blocksOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    const end = chunk.lastIndexOf(lineEnd) + 1
    if (end > 0) {
      yield Buffer.concat([...pieces, chunk.subarray(0, end)])
      pieces = []
      bytes = 0
    }
    if (end === chunk.length) continue
    pieces.push(chunk.subarray(end))
    bytes += chunk.length - end
    if (bytes > maxLineBytes) break
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}
