import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { linesFromEnd } from '../../../../src/store/files/line-file.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const whole = { maxBytes: 1e9, maxLineBytes: 1e6 }

async function read(t: ExecutionContext, text: string, bounds = whole): Promise<string[]> {
  const file = join(temporaryWorkspace(t), 'lines')
  writeFileSync(file, text)
  return linesOf(file, bounds)
}

async function linesOf(file: string, bounds: typeof whole): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesFromEnd(file, bounds)) lines.push(line)
  return lines
}

test('lines come last first, with the one that was not finished', async t => {
  t.deepEqual(await read(t, 'one\ntwo\nthr'), ['thr', 'two', 'one'])
  t.deepEqual(await read(t, 'one\n\ntwo\n'), ['two', 'one'])
  t.deepEqual(await read(t, ''), [])
})

test('lines and characters that lie across pieces are whole', async t => {
  const lines = Array.from({ length: 200 }, (_, at) => `${at} ${'é€😀'.repeat(at * 7)}`)
  t.deepEqual(await read(t, `${lines.join('\n')}\n`), lines.toReversed())
})

test('a line that begins where a piece begins is whole', async t => {
  const lines = ['a'.repeat(64 * 1024 - 1), 'b'.repeat(64 * 1024 - 1), 'c']
  t.deepEqual(await read(t, `${lines.join('\n')}\n`), lines.toReversed())
})

test('a line that is too long is left out, and those around it are not', async t => {
  const long = 'x'.repeat(300_000)
  t.deepEqual(await read(t, `one\n${long}\ntwo\n`, { maxBytes: 1e9, maxLineBytes: 1000 }), ['two', 'one'])
})

test('no more than the bound is read, and no part of a line is taken for one', async t => {
  t.deepEqual(await read(t, 'one\ntwo\nthree\n', { maxBytes: 8, maxLineBytes: 100 }), ['three'])
})

test('a file that is not there has no lines', async t => {
  t.deepEqual(await linesOf(join(temporaryWorkspace(t), 'none'), whole), [])
})
