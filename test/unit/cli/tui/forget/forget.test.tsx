// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { ForgetScreen } from '../../../../../src/cli/tui/forget/forget.js'
import {
  type ForgetCandidate,
  type ForgetState,
  startForget,
} from '../../../../../src/cli/tui/forget/state.js'
import { candidate } from './candidates.js'

const now = Date.parse('2026-03-31T12:00:00Z')
const keys = { down: '\u001b[B', escape: '\u001b', enter: '\r', backspace: '\u007f' }

interface ScreenOptions {
  candidates?: readonly ForgetCandidate[]
  reason?: string
  force?: boolean
  preselect?: boolean
}

function open(t: ExecutionContext, options: ScreenOptions = {}) {
  const { candidates = [candidate('a'), candidate('b'), candidate('c', { pinned: 1 })], reason } = options
  const initial = startForget({
    candidates,
    reason,
    force: options.force ?? false,
    preselect: options.preselect ?? false,
  })
  const ended: ForgetState[] = []
  const screen = render(
    <ForgetScreen initial={initial} color={false} now={now} onEnd={state => ended.push(state)} />,
  )
  t.teardown(screen.unmount)
  const frame = () => screen.lastFrame() ?? ''
  return { ended, frame, press: (...texts: string[]) => press(screen, texts) }
}

/** Keys must not be sent before Ink listens; each gets its own turn of the event loop. */
async function press(screen: ReturnType<typeof render>, texts: readonly string[]): Promise<void> {
  await until(() => screen.stdin.listenerCount('readable') > 0)
  for (const text of texts) {
    screen.stdin.write(text)
    await drained()
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await drained()
}

function drained(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

test('the screen shows every candidate, the count and the pinned marks', t => {
  const { frame } = open(t)
  t.regex(frame(), /Forget 0 of 3 memories 1 pinned recoverable for 30 days/)
  t.regex(frame(), /> \[ \] memory a fact 3 d/)
  t.regex(frame(), /\[ \] memory c pinned fact 3 d/)
})

test('j moves, Space selects, and the title shows the count', async t => {
  const { frame, press } = open(t)
  await press('j', ' ')
  await until(() => frame().includes('Forget 1 of 3'))
  t.regex(frame(), /> \[x\] memory b/)
  t.regex(frame(), /\[ \] memory a/)
})

test('arrows move too, and a selects all unpinned memories', async t => {
  const { frame, press } = open(t)
  await press(keys.down, 'a')
  await until(() => frame().includes('Forget 2 of 3'))
  t.regex(frame(), /> \[x\] memory b/)
  t.regex(frame(), /\[ \] memory c pinned/)
})

test('a pinned memory explains why it cannot be selected', async t => {
  const { frame, press } = open(t, { candidates: [candidate('p', { pinned: 1 })] })
  await press(' ')
  await until(() => frame().includes('Pinned:'))
  t.regex(frame(), /Pinned\. To select it, run forget with --force/)
})

test('selection, reason and confirmation end with the chosen ids', async t => {
  const { ended, frame, press } = open(t, { preselect: true })
  await press(keys.enter)
  await until(() => frame().includes('Reason:'))
  await press('o', 'l', 'd', 'x', keys.backspace)
  await until(() => /Reason: old\s*\n/.test(frame()))
  await press(keys.enter)
  await until(() => frame().includes('y / n'))
  t.regex(frame(), /Forget 2 memories\? y \/ n/)
  t.is(ended.length, 0)
  await press('y')
  await until(() => ended.length > 0)
  t.is(ended[0]!.step, 'done')
  t.is(ended[0]!.reason, 'old')
  t.deepEqual([...ended[0]!.selected], ['a', 'b'])
})

test('keys that arrive together count one by one, and none is used by the next step', async t => {
  const { ended, frame, press } = open(t)
  await press('j a \r')
  await until(() => frame().includes('Reason:'))
  await press('old\ry')
  await until(() => frame().includes('y / n'))
  t.regex(frame(), /Forget 1 memory\? y \/ n/)
  t.regex(frame(), /Reason: old/)
  t.is(ended.length, 0)
})

test('q is text while a reason is typed', async t => {
  const { ended, frame, press } = open(t, { preselect: true })
  await press(keys.enter)
  await until(() => frame().includes('Reason:'))
  await press('q')
  await until(() => frame().includes('Reason: q'))
  t.regex(frame(), /Reason: q/)
  t.is(ended.length, 0)
})

test('n returns from the confirmation, q leaves without a decision', async t => {
  const { ended, frame, press } = open(t, { preselect: true, reason: 'old' })
  await press(keys.enter)
  await until(() => frame().includes('y / n'))
  await press('n')
  await until(() => frame().includes('q quit') && !frame().includes('y / n'))
  await press('q')
  await until(() => ended.length > 0)
  t.is(ended[0]!.step, 'cancelled')
})

test('the confirmation counts pinned memories selected with --force', async t => {
  const { frame, press } = open(t, { preselect: true, reason: 'old', force: true })
  await press(keys.enter)
  await until(() => frame().includes('y / n'))
  t.regex(frame(), /Forget 3 memories, 1 of them pinned\?/)
})

test('200 candidates fit 24 lines of 80 columns and scroll with the cursor', async t => {
  const long = 'a very long memory '.repeat(20)
  const candidates = Array.from({ length: 200 }, (_, index) =>
    candidate(`m${index}`, { content: `${index} ${long}` }),
  )
  const { frame, press } = open(t, { candidates })
  t.true(frame().split('\n').length <= 24)
  await press('G')
  await until(() => frame().includes('0 below'))
  t.regex(frame(), /> \[ \] 199 a very long/)
  t.true(frame().split('\n').length <= 24)
  t.true(
    frame()
      .split('\n')
      .every(line => line.length <= 100),
  )
})
