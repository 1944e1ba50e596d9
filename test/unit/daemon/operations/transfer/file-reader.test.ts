import test from 'ava'
import { AppError } from '../../../../../src/contract/ground/errors.js'
import { type TransferredMemory, transferLine } from '../../../../../src/contract/operations/transfer.js'
import { askWithFallback } from '../../../../../src/daemon/operations/transfer/ask-transfer.js'
import { readerWith, readLinesAhead } from '../../../../../src/daemon/operations/transfer/import.js'
import { importedRow } from '../../../../../src/daemon/operations/transfer/imported-row.js'
import {
  createBlockReader,
  type NumberedLine,
} from '../../../../../src/daemon/operations/transfer/read-block.js'
import { eventLine, header, memoryLine, textOf } from '../../../../helpers/transfer.js'

const silent = { warn: () => undefined } as never
const atOnce = () => undefined
const nothing = { storedIds: async () => new Set<string>(), claimants: async () => [] }
const readerBy = (thread: Parameters<typeof askWithFallback>[0]) =>
  readerWith(askWithFallback(thread, silent), { tables: { transfer: nothing } }, atOnce)

async function* inChunks(text: string, bytes: number): AsyncGenerator<Buffer> {
  const whole = Buffer.from(text)
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes)
}

async function readLines(
  text: string,
  bytes: number,
  reader = createBlockReader(nothing),
): Promise<NumberedLine[]> {
  return all(readLinesAhead(inChunks(text, bytes), reader))
}

async function all<T>(blocks: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const block of blocks) found.push(...block)
  return found
}

const file = `${textOf([header])}\r\n${textOf([memoryLine('a'), memoryLine('ü', { content: 'grün 🌱' })])}\n{"kind":\n${textOf([memoryLine('b')]).trim()}`

test('lines have their number and content of the file for any chunking', async t => {
  const whole = await readLines(file, 1 << 20)
  t.deepEqual(
    whole.map(({ kind, number }) => [kind, number]),
    [
      ['header', 1],
      ['memory', 3],
      ['memory', 4],
      ['faulty', 6],
      ['memory', 7],
    ],
  )
  for (const bytes of [1, 7, 64, 200]) t.deepEqual(await readLines(file, bytes), whole)
})

test('nothing after a line that is not text is read', async t => {
  const bytes = Buffer.concat([
    Buffer.from(textOf([header, memoryLine('a')])),
    Buffer.from([0xff, 10]),
    Buffer.from('x\n'),
  ])
  const lines = await all(
    readLinesAhead(
      (async function* () {
        yield bytes
      })(),
      createBlockReader(nothing),
    ),
  )
  t.deepEqual(lines.at(-1), { kind: 'unreadable', message: 'is not UTF-8 text', number: 3, size: 0 })
})

const large = textOf(Array.from({ length: 4000 }, (_, n) => memoryLine(`m${n}`)))

test('the start of a file is read here and the rest in the thread, with the same lines', async t => {
  const asked: number[] = []
  const inThread = createBlockReader(nothing)
  const ask = async (_name: string, [block]: readonly unknown[]) => {
    asked.push((block as Uint8Array).length)
    return structuredClone(await inThread(structuredClone(block as Uint8Array)))
  }
  t.deepEqual(await readLines(large, 65_536, readerBy({ ask })), await readLines(large, 65_536))
  const bytes = asked.reduce((sum, some) => sum + some, 0)
  t.true(bytes > 0 && bytes < large.length - 100_000)
})

test('a failing thread leaves the rest to the main thread; a stopping daemon reads no more', async t => {
  const broken = async () => Promise.reject(new Error('the thread of imports ended (code 1)'))
  t.deepEqual(await readLines(large, 65_536, readerBy({ ask: broken })), await readLines(large, 65_536))
  const stopping = async () => Promise.reject(new AppError('starting', 'the daemon is stopping'))
  await t.throwsAsync(readLines(large, 65_536, readerBy({ ask: stopping })), {
    message: 'the daemon is stopping',
  })
})

test('rows with a new id are passed on as validated text, those matched by content unchecked', async t => {
  const event = { ...eventLine('a'), event: 'dreamt' }
  const known = memoryLine('b', { content: 'Memory known' })
  const text = textOf([memoryLine('a'), eventLine('a'), event, known, memoryLine('c')])
  const claimants = async (hashes: readonly string[]) =>
    [importedRow(transferLine.parse(known) as TransferredMemory)].map(row => {
      t.true(hashes.includes(row.content_hash))
      return { ...row, hash_space: '' }
    })
  const lines = await readLines(
    text,
    1 << 20,
    createBlockReader({ storedIds: async () => new Set(['a']), claimants }),
  )
  t.deepEqual(
    lines.map(line => [line.kind, line.kind === 'memory' ? line.row.safety_status : line.size]),
    [
      ['known', textOf([memoryLine('a')]).length - 1],
      ['event', textOf([eventLine('a')]).length - 1],
      ['faulty', textOf([event]).length - 1],
      ['memory', ''],
      ['memory', 'clean'],
    ],
  )
})
