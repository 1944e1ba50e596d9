import test from 'ava'
import { AppError } from '../../../../../src/contract/ground/errors.js'
import { linesAhead, readerWith } from '../../../../../src/daemon/operations/transfer/file-reader.js'
import {
  createBlockReader,
  type NumberedLine,
} from '../../../../../src/daemon/operations/transfer/read-block.js'
import { header, memoryLine, textOf } from '../../../../helpers/transfer.js'

const silent = { warn: () => undefined } as never
const atOnce = () => undefined

/** A file as it comes from the disk. */
async function* inChunks(text: string, bytes: number): AsyncGenerator<Buffer> {
  const whole = Buffer.from(text)
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes)
}

async function read(text: string, bytes: number, reader = createBlockReader()): Promise<NumberedLine[]> {
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
      createBlockReader(),
    ),
  )
  t.deepEqual(lines.at(-1), { kind: 'unreadable', message: 'is not UTF-8 text', number: 3, size: 0 })
})

const large = textOf(Array.from({ length: 4000 }, (_, n) => memoryLine(`m${n}`)))

test('the beginning of a file is read here and the rest in the thread, to the same lines', async t => {
  const asked: number[] = []
  const inThread = createBlockReader()
  const ask = async (_name: string, [block]: readonly unknown[]) => {
    asked.push((block as Uint8Array).length)
    return structuredClone(await inThread(structuredClone(block as Uint8Array)))
  }
  t.deepEqual(await read(large, 65_536, readerWith({ ask }, atOnce, silent)), await read(large, 65_536))
  const bytes = asked.reduce((sum, some) => sum + some, 0)
  t.true(bytes > 0 && bytes < large.length - 100_000)
})

test('a thread that breaks leaves the rest of the file to this one; a daemon that stops leaves it unread', async t => {
  const broken = async () => Promise.reject(new Error('the thread of imports ended (code 1)'))
  t.deepEqual(
    await read(large, 65_536, readerWith({ ask: broken }, atOnce, silent)),
    await read(large, 65_536),
  )
  const stopping = async () => Promise.reject(new AppError('starting', 'the daemon is stopping'))
  await t.throwsAsync(read(large, 65_536, readerWith({ ask: stopping }, atOnce, silent)), {
    message: 'the daemon is stopping',
  })
})
