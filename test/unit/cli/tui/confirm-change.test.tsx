// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { ConfirmScreen } from '../../../../src/cli/tui/confirm-change.js'

function open(t: ExecutionContext, { details }: { details?: string } = {}) {
  const answers: boolean[] = []
  const asked: string[] = []
  const screen = render(
    <ConfirmScreen
      question="Change 2 files?"
      color={false}
      details={details}
      onDetails={() => asked.push('details')}
      onEnd={isConfirmed => answers.push(isConfirmed)}
    />,
  )
  t.teardown(screen.unmount)
  const press = async (text: string) => {
    await until(() => screen.stdin.listenerCount('readable') > 0)
    screen.stdin.write(text)
    await until(() => answers.length > 0)
  }
  return { answers, asked, press, frame: () => screen.lastFrame() ?? '' }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise(resolve => setImmediate(resolve))
}

test('the question shows the keys that answer it', t => {
  t.regex(open(t).frame(), /Change 2 files\? y \/ n/)
})

for (const [key, text, isYes] of [
  ['y', 'y', true],
  ['enter', '\r', false],
  ['n', 'n', false],
  ['q', 'q', false],
  ['esc', '\u001b', false],
] as const) {
  test(`${key} is ${isYes ? 'yes' : 'no'}`, async t => {
    const { answers, press } = open(t)
    await press(text)
    t.deepEqual(answers, [isYes])
  })
}

test('other keys are ignored, and only the first key of a pasted text counts', async t => {
  const { answers, press, frame } = open(t)
  await press('xy')
  t.deepEqual(answers, [])
  t.regex(frame(), /y \/ n/)
  await press('ny')
  t.deepEqual(answers, [false])
})

test('d asks for the details, where there are some, and consents to nothing', async t => {
  const plain = open(t)
  await plain.press('d')
  t.deepEqual([plain.answers, plain.asked], [[], []])
  const { press, answers, asked, frame } = open(t, { details: 'the diff' })
  t.regex(frame(), /y \/ n \/ d\ny yes · n, Enter or Esc no · d shows the diff/)
  await press('d')
  t.deepEqual([answers, asked], [[false], ['details']])
})
