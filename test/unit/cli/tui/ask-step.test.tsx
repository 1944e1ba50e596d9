// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { type StepAnswer, StepScreen } from '../../../../src/cli/tui/ask-step.js'
import { pressKeys } from '../../../helpers/ink-screen.js'

function open(t: ExecutionContext, details?: string) {
  const answers: StepAnswer[] = []
  const screen = render(
    <StepScreen
      question="Connect Codex?"
      details={details}
      color={false}
      onEnd={answer => answers.push(answer)}
    />,
  )
  t.teardown(screen.unmount)
  return { screen, answers }
}

for (const [key, answer] of [
  ['y', 'yes'],
  ['n', 'no'],
  ['q', 'no'],
  ['\u001b', 'no'],
] as const)
  test(`${JSON.stringify(key)} answers ${answer}`, async t => {
    const { screen, answers } = open(t)
    await pressKeys(screen, key)
    if (key === '\u001b') await new Promise(resolve => setTimeout(resolve, 100))
    t.deepEqual(answers, [answer])
  })

test('Enter neither consents nor declines, also after a y of the question before', async t => {
  const { screen, answers } = open(t)
  await pressKeys(screen, '\r', '\r')
  t.deepEqual(answers, [])
  t.regex(screen.lastFrame() ?? '', /Connect Codex\? y \/ n\ny yes · n skip · Ctrl-C stop/)
  await pressKeys(screen, 'n\r')
  t.deepEqual(answers, ['no'])
})

test('d asks for details only where there are some', async t => {
  const without = open(t)
  await pressKeys(without.screen, 'd')
  t.deepEqual(without.answers, [])
  const { screen, answers } = open(t, 'exact change')
  t.regex(screen.lastFrame() ?? '', /d exact change/)
  await pressKeys(screen, 'd')
  t.deepEqual(answers, ['details'])
})
