import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { linesFromEnd } from '../../../../src/store/files/line-file.js'
import { temporaryWorkspace } from '../../../helpers/daemon.js'

const whole = { maxBytes: 1e9, maxLineBytes: 1e6 }

async function readLines(t: ExecutionContext, text: string, bounds = whole): Promise<string[]> {
  const file = join(temporaryWorkspace(t), 'lines')
  writeFileSync(file, text)
  return linesOf(file, bounds)
}

async function linesOf(file: string, bounds: typeof whole): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesFromEnd(file, bounds)) lines.push(line)
  return lines
}

test('lines are read from last to first, including an unfinished one', async t => {
  t.deepEqual(await readLines(t, 'one\ntwo\nthr'), ['thr', 'two', 'one'])
  t.deepEqual(await readLines(t, 'one\n\ntwo\n'), ['two', 'one'])
  t.deepEqual(await readLines(t, ''), [])
})

test('lines and characters across blocks are complete', async t => {
  const lines = Array.from({ length: 200 }, (_, at) => `${at} ${'é€😀'.repeat(at * 7)}`)
  t.deepEqual(await readLines(t, `${lines.join('\n')}\n`), lines.toReversed())
})

test('a line that starts at a block border is complete', async t => {
  const lines = ['a'.repeat(64 * 1024 - 1), 'b'.repeat(64 * 1024 - 1), 'c']
  t.deepEqual(await readLines(t, `${lines.join('\n')}\n`), lines.toReversed())
})

test('a too long line is left out, its neighbours are not', async t => {
  const long = 'x'.repeat(300_000)
  t.deepEqual(await readLines(t, `one\n${long}\ntwo\n`, { maxBytes: 1e9, maxLineBytes: 1000 }), [
    'two',
    'one',
  ])
})

test('reading stops at the limit, and a partial line is not returned', async t => {
  t.deepEqual(await readLines(t, 'one\ntwo\nthree\n', { maxBytes: 8, maxLineBytes: 100 }), ['three'])
})

test('a missing file has no lines', async t => {
  t.deepEqual(await linesOf(join(temporaryWorkspace(t), 'none'), whole), [])
})
