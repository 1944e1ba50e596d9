// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { type Question, QuestionsScreen } from '../../../../src/cli/tui/ask-questions.js'
import { pressKeys } from '../../../helpers/ink-screen.js'

const escapeKey = '\u001b'

const questions: readonly Question[] = [
  { label: 'What', hint: 'a prompt', initial: '', fault: text => (text === '' ? 'is needed' : undefined) },
  {
    label: 'When',
    hint: 'a schedule',
    initial: '0 9',
    fault: text => (text.includes('x') ? 'is none' : undefined),
    explain: text => `means ${text}`,
  },
]

function open(t: ExecutionContext) {
  const ended: (readonly string[] | undefined)[] = []
  const onEnd = (answers: readonly string[] | undefined) => void ended.push(answers)
  const screen = render(<QuestionsScreen questions={questions} color={false} onEnd={onEnd} />)
  t.teardown(screen.unmount)
  const press = (...keys: string[]) => pressKeys(screen, ...keys)
  return { ended, press, frame: () => screen.lastFrame() ?? '' }
}

test('each question accepts an answer and explains it while it is typed (tasks.md#commands)', async t => {
  const { ended, press, frame } = open(t)
  await press('\r')
  t.regex(frame(), /is needed/)
  await press('tidy', '\r')
  t.regex(frame(), /What: tidy\nWhen: 0 9/)
  t.regex(frame(), /means 0 9\n/)
  await press('x', '\r')
  t.regex(frame(), /is none/)
  await press('\u0015', '1 2', '\r')
  t.deepEqual(ended, [['tidy', '1 2']])
})

test('Esc leaves without answers (tasks.md#commands)', async t => {
  const { ended, press } = open(t)
  await press('tidy', '\r', escapeKey)
  await press()
  t.deepEqual(ended, [undefined])
})
