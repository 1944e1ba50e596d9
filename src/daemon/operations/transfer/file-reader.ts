import { maxLineBytes } from '../../../lib/files/lines.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type AskTransfer, transferThread } from './ask-transfer.js'
import {
  type BlockReader,
  createBlockReader,
  type NumberedLine,
  type ParsedBlock,
  type StoredMemories,
} from './read-block.js'

/** The first bytes of a file are read here; a small file is not worth starting the thread. */
const bytesHere = 256 * 1024
/** Blocks, or bytes of them, read in advance. */
const blocksAhead = 3
const bytesAhead = 1024 * 1024
const lineEnd = 10

/** Reads and scans the lines of a file, on the import thread if the file is large. */
export function readFileLines(
  deps: Pick<Daemon, 'store' | 'log'>,
  content: AsyncIterable<Buffer>,
  breathe: () => Promise<void> | undefined,
): AsyncGenerator<NumberedLine[]> {
  return readLinesAhead(content, readerWith(transferThread(deps), deps.store, breathe))
}

/** Reads the beginning of a file here and the rest on the thread, if there is one. */
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

interface PendingBlock {
  read: Promise<ParsedBlock>
  bytes: number
}

/** Yields the lines of a file in order and in groups, numbered from its start, reading slightly ahead. */
export async function* readLinesAhead(
  content: AsyncIterable<Buffer>,
  read: BlockReader,
): AsyncGenerator<NumberedLine[]> {
  const ahead: PendingBlock[] = []
  const isFull = () =>
    ahead.length > blocksAhead || ahead.reduce((sum, { bytes }) => sum + bytes, 0) > bytesAhead
  let before = 0
  const first = async (): Promise<NumberedLine[]> => {
    const { lines, ends } = await (ahead.shift() as PendingBlock).read
    for (const line of lines) line.number += before
    before += ends
    return lines
  }
  for await (const block of blocksOf(content)) {
    const reading = read(block)
    // The consumer awaits this promise later and gets the error then.
    reading.catch(() => undefined)
    ahead.push({ read: reading, bytes: block.length })
    while (isFull()) yield await first()
  }
  while (ahead.length > 0) yield await first()
}

/** Splits a stream into blocks of whole lines; an overlong line becomes a block without a line end. */
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
