import test from 'ava'
import { startProgressBar } from '../../../../src/cli/terminal/progress.js'
import { displayWidth } from '../../../../src/cli/terminal/text.js'

function streamOf(fields: { isTTY: boolean; columns?: number }) {
  const written: string[] = []
  const stream = { ...fields, write: (text: string) => written.push(text) }
  return { written, stream: stream as unknown as NodeJS.WriteStream }
}

test('a progress bar never exceeds the terminal width', t => {
  const { written, stream } = streamOf({ isTTY: true, columns: 60 })
  const bar = startProgressBar(stream)
  bar.update(`${'a long name of a vault '.repeat(9)}: 3 of 9`, 0.5)
  bar.stop()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what drives the terminal takes no column
  t.true(displayWidth(written[0]!.replace(/\r|\u001b\[[\d;]*[A-Za-z]/gu, '')) < 60)
})

test('in a pipe short work prints no progress', t => {
  const { written, stream } = streamOf({ isTTY: false })
  const bar = startProgressBar(stream)
  for (const text of ['1 of 3 files', '2 of 3 files', '3 of 3 files']) bar.update(text)
  bar.stop()
  t.deepEqual(written, [])
})
