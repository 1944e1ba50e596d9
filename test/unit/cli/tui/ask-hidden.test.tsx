// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { HiddenScreen } from '../../../../src/cli/tui/ask-hidden.js'

function open(t: ExecutionContext) {
  const ended: (string | undefined)[] = []
  const screen = render(<HiddenScreen label="Value of KEY" color={false} onEnd={text => ended.push(text)} />)
  t.teardown(screen.unmount)
  const type = async (...chunks: string[]) => {
    for (const chunk of chunks) {
      await until(() => screen.stdin.listenerCount('readable') > 0)
      screen.stdin.write(chunk)
      await new Promise(resolve => setImmediate(resolve))
    }
    await until(() => ended.length > 0)
  }
  return { ended, type, frames: () => screen.frames.join('\n') }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise(resolve => setImmediate(resolve))
}

test('hidden input is never drawn, not even its length', async t => {
  const { ended, type, frames } = open(t)
  await type('h', 'u', 'n', 'X', '\r')
  t.deepEqual(ended, ['hunX'])
  t.regex(frames(), /Value of KEY/u)
  t.notRegex(frames(), /hun|X|[*•]/u)
})

test('a paste that ends with Enter is accepted at once', async t => {
  const { ended, type } = open(t)
  await type('sk-live-0123\r')
  t.deepEqual(ended, ['sk-live-0123'])
})

test('newlines inside a paste belong to the text', async t => {
  const { ended, type } = open(t)
  await type('-----BEGIN\rabc\rEND-----', '\r')
  t.deepEqual(ended, ['-----BEGIN\nabc\nEND-----'])
})

test('backspace deletes one character, Ctrl-U all', async t => {
  const { ended, type } = open(t)
  await type('wrong', '\u0015', 'ab', '\u007F', 'c', '\r')
  t.deepEqual(ended, ['ac'])
})

test('Esc leaves without a text', async t => {
  const { ended, type } = open(t)
  await type('abc', '\u001B')
  t.deepEqual(ended, [undefined])
})
