import test from 'ava'
import { AppError } from '../../../../../src/contract/ground/errors.js'
import { type TransferredMemory, transferLine } from '../../../../../src/contract/operations/transfer.js'
import { askOrDoHere } from '../../../../../src/daemon/operations/transfer/ask-transfer.js'
import { linesAhead, readerWith } from '../../../../../src/daemon/operations/transfer/file-reader.js'
import { importedRow } from '../../../../../src/daemon/operations/transfer/imported-row.js'
import {
  createBlockReader,
  type NumberedLine,
} from '../../../../../src/daemon/operations/transfer/read-block.js'
import { eventLine, header, memoryLine, textOf } from '../../../../helpers/transfer.js'

const silent = { warn: () => undefined } as never
const atOnce = () => undefined
const nothing = { storedIds: async () => new Set<string>(), claimants: async () => [] }
const readerBy = (thread: Parameters<typeof askOrDoHere>[0]) =>
  readerWith(askOrDoHere(thread, silent), { tables: { transfer: nothing } }, atOnce)

/** A file as it comes from the disk. */
async function* inChunks(text: string, bytes: number): AsyncGenerator<Buffer> {
  const whole = Buffer.from(text)
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes)
}

async function read(
  text: string,
  bytes: number,
  reader = createBlockReader(nothing),
): Promise<NumberedLine[]> {
  return all(linesAhead(inChunks(text, bytes), reader))
}

async function all<T>(blocks: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const block of blocks) found.push(...block)
  return found
}

const file = `${textOf([header])}\r\n${textOf([memoryLine('a'), memoryLine('ü', { content: 'grün 🌱' })])}\n{"kind":\n${textOf([memoryLine('b')]).trim()}`

test('lines have the numbers and contents that they have in the file, wherever it is cut', async t => {
  const whole = await read(file, 1 << 20)
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
  for (const bytes of [1, 7, 64, 200]) t.deepEqual(await read(file, bytes), whole)
})

test('nothing behind a line that is no text is read', async t => {
  const bytes = Buffer.concat([
    Buffer.from(textOf([header, memoryLine('a')])),
    Buffer.from([0xff, 10]),
    Buffer.from('x\n'),
  ])
  const lines = await all(
    linesAhead(
      (async function* () {
        yield bytes
      })(),
      createBlockReader(nothing),
    ),
  )
  t.deepEqual(lines.at(-1), { kind: 'unreadable', message: 'is not UTF-8 text', number: 3, size: 0 })
})

const large = textOf(Array.from({ length: 4000 }, (_, n) => memoryLine(`m${n}`)))

test('the beginning of a file is read here and the rest in the thread, to the same lines', async t => {
  const asked: number[] = []
  const inThread = createBlockReader(nothing)
  const ask = async (_name: string, [block]: readonly unknown[]) => {
    asked.push((block as Uint8Array).length)
    return structuredClone(await inThread(structuredClone(block as Uint8Array)))
  }
  t.deepEqual(await read(large, 65_536, readerBy({ ask })), await read(large, 65_536))
  const bytes = asked.reduce((sum, some) => sum + some, 0)
  t.true(bytes > 0 && bytes < large.length - 100_000)
})

test('a thread that breaks leaves the rest of the file to this one; a daemon that stops leaves it unread', async t => {
  const broken = async () => Promise.reject(new Error('the thread of imports ended (code 1)'))
  t.deepEqual(await read(large, 65_536, readerBy({ ask: broken })), await read(large, 65_536))
  const stopping = async () => Promise.reject(new AppError('starting', 'the daemon is stopping'))
  await t.throwsAsync(read(large, 65_536, readerBy({ ask: stopping })), {
    message: 'the daemon is stopping',
  })
})

test('what is stored by its id is handed on as its text once it is validated, what is by its content unjudged', async t => {
  const event = { ...eventLine('a'), event: 'dreamt' }
  const known = memoryLine('b', { content: 'Memory known' })
  const text = textOf([memoryLine('a'), eventLine('a'), event, known, memoryLine('c')])
  const claimants = async (hashes: readonly string[]) =>
    [importedRow(transferLine.parse(known) as TransferredMemory)].map(row => {
      t.true(hashes.includes(row.content_hash))
      return { ...row, hash_space: '' }
    })
  const lines = await read(
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
