import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { dropTypedAhead } from '../../../../src/cli/tui/screen.js'

function keyboard() {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(mode: boolean) {
      modes.push(mode)
      return stdin as never
    },
  })
  return { stdin, modes }
}

test('keys typed before a question are thrown away, with and without Enter', async t => {
  const { stdin, modes } = keyboard()
  stdin.write('y\r')
  const dropped = dropTypedAhead(stdin)
  await wait(20)
  stdin.write('yes')
  await dropped
  t.deepEqual(modes, [true])
  t.is(stdin.read(), null)
  stdin.write('n')
  t.is(String(stdin.read()), 'n')
})

test('a pipe is not read', async t => {
  const { stdin, modes } = keyboard()
  stdin.isTTY = false
  stdin.write('y')
  await dropTypedAhead(stdin)
  t.is(String(stdin.read()), 'y')
  t.deepEqual(modes, [])
})
