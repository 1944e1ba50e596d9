// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { PreviewScreen } from '../../../../src/cli/tui/preview-change.js'

function open(t: ExecutionContext, lines: readonly string[], typed?: string) {
  const answers: boolean[] = []
  const screen = render(
    <PreviewScreen
      lines={lines}
      question="Do it?"
      typed={typed}
      color={false}
      onEnd={answer => answers.push(answer)}
    />,
  )
  t.teardown(screen.unmount)
  const press = async (text: string, done: () => boolean) => {
    await until(() => screen.stdin.listenerCount('readable') > 0)
    screen.stdin.write(text)
    await until(done)
  }
  return { answers, press, frame: () => screen.lastFrame() ?? '' }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise(resolve => setImmediate(resolve))
}

const many = Array.from({ length: 50 }, (_, position) => `line ${position + 1}.`)

test('the preview is shown above the question', t => {
  t.regex(open(t, ['one', 'two']).frame(), /one\ntwo\n\nDo it\? y \/ n/)
})

test('a long preview scrolls and shows its position', async t => {
  const { frame, press } = open(t, many)
  t.regex(frame(), /line 1\.[\s\S]*1 to 18 of 50/)
  t.notRegex(frame(), /line 19\./)
  await press('j', () => frame().includes('line 19.'))
  t.regex(frame(), /2 to 19 of 50/)
  await press('  ', () => frame().includes('line 50.'))
  t.regex(frame(), /33 to 50 of 50/)
})

for (const [key, text, isYes] of [
  ['y', 'y', true],
  ['enter', '\r', false],
  ['n', 'n', false],
  ['esc', '\u001b', false],
] as const) {
  test(`${key} is ${isYes ? 'yes' : 'no'} for a removal`, async t => {
    const { answers, press } = open(t, ['one'])
    await press(text, () => answers.length > 0)
    t.deepEqual(answers, [isYes])
  })
}

test('a permanent deletion needs the full name; a wrong name is reported, and Esc leaves', async t => {
  const { answers, press, frame } = open(t, ['3 memories'], 'maya')
  t.regex(frame(), /3 memories\n\nDo it\?\nType maya:/)
  await press('y\r', () => /does not match/.test(frame()))
  t.deepEqual(answers, [])
  await press('\u007f', () => !/does not match/.test(frame()))
  await press('maya', () => /Type maya: maya/.test(frame()))
  await press('\r', () => answers.length > 0)
  t.deepEqual(answers, [true])
  const left = open(t, [], 'maya')
  await left.press('\u001b', () => left.answers.length > 0)
  t.deepEqual(left.answers, [false])
})

test('letters of the typed name do not scroll, arrows do', async t => {
  const { frame, press } = open(t, many, 'jj')
  await press('jj', () => frame().includes('Type jj: jj'))
  t.regex(frame(), /1 to 18 of 50/)
  await press('\u001b[B', () => frame().includes('line 19.'))
  t.regex(frame(), /2 to 19 of 50/)
})
