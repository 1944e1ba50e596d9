import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'ava'
import { readContent } from '../../../../src/cli/memory/input.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const piped = (text: string) => Readable.from([Buffer.from(text)]) as unknown as NodeJS.ReadStream
const terminal = Object.assign(piped('never read'), { isTTY: true as const })

test('command-line words become one text', async t => {
  t.is(await readContent({ words: ['use', 'pnpm'], file: undefined, stdin: terminal }), 'use pnpm')
})

test('a dash and a pipe both read stdin', async t => {
  t.is(await readContent({ words: ['-'], file: undefined, stdin: piped('from a dash') }), 'from a dash')
  t.is(await readContent({ words: undefined, file: undefined, stdin: piped('from a pipe') }), 'from a pipe')
})

test('arguments take precedence over a pipe', async t => {
  t.is(await readContent({ words: ['argument'], file: undefined, stdin: piped('pipe') }), 'argument')
})

test('--file reads a file, and an unreadable file is named', async t => {
  const folder = temporaryFolder(t, 'memory-input')
  const file = join(folder, 'note.txt')
  await writeFile(file, 'from a file')
  t.is(await readContent({ words: undefined, file, stdin: terminal }), 'from a file')
  await t.throwsAsync(readContent({ words: undefined, file: join(folder, 'none'), stdin: terminal }), {
    message: /no such file or folder: .*none/,
    code: 'invalid_input',
  })
  await t.throwsAsync(readContent({ words: undefined, file: folder, stdin: terminal }), {
    message: /is a folder; give a file/,
  })
  await writeFile(file, Buffer.from([0xff, 0xfe, 0xfd]))
  await t.throwsAsync(readContent({ words: undefined, file, stdin: terminal }), { message: /not UTF-8/ })
})

test('two inputs or none are usage errors', async t => {
  await t.throwsAsync(readContent({ words: ['a'], file: 'b', stdin: terminal }), { message: /not both/ })
  await t.throwsAsync(readContent({ words: undefined, file: undefined, stdin: terminal }), {
    code: 'content_required',
  })
  await t.throwsAsync(readContent({ words: undefined, file: undefined, stdin: piped(' \n') }), {
    code: 'content_required',
  })
})
