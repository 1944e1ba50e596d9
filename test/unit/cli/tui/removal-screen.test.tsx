import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { RemovalScreen } from '../../../../src/cli/tui/removal-screen.js'

function open(t: ExecutionContext, { isTyped }: { isTyped: boolean }) {
  const answers: boolean[] = []
  const screen = render(
    <RemovalScreen
      name="maya"
      lines={['3 memories of maya deleted for good', '2 sessions deleted for good']}
      isTyped={isTyped}
      color={false}
      onEnd={isConfirmed => answers.push(isConfirmed)}
    />,
  )
  t.teardown(screen.unmount)
  const frame = () => screen.lastFrame() ?? ''
  const press = async (text: string, isDone: () => boolean = () => answers.length > 0) => {
    await until(() => screen.stdin.listenerCount('readable') > 0)
    screen.stdin.write(text)
    await until(isDone)
  }
  return { answers, press, frame }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise(resolve => setImmediate(resolve))
}

test('what would go stands above the question', t => {
  const { frame } = open(t, { isTyped: false })
  t.regex(frame(), /3 memories of maya deleted[\s\S]+2 sessions[\s\S]+Archive its memories\? y \/ n/)
})

test('a removal takes a y; enter alone leaves everything', async t => {
  const yes = open(t, { isTyped: false })
  await yes.press('y')
  t.deepEqual(yes.answers, [true])
  const enter = open(t, { isTyped: false })
  await enter.press('\r')
  t.deepEqual(enter.answers, [false])
})

test('a purge takes the whole name; anything else is told to be wrong, and esc leaves', async t => {
  const { answers, press, frame } = open(t, { isTyped: true })
  await press('y\r', () => /not its name/.test(frame()))
  t.deepEqual(answers, [])
  await press('\u007f', () => !/not its name/.test(frame()))
  await press('maya', () => /maya to delete all of it for good: maya/.test(frame()))
  await press('\r')
  t.deepEqual(answers, [true])
  const left = open(t, { isTyped: true })
  await left.press('\u001b')
  t.deepEqual(left.answers, [false])
})
