// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { askBefore } from '../../../../../src/cli/operations/repair.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'
import { PreviewScreen } from '../../../../../src/cli/tui/preview-change.js'
import { pressKeys } from '../../../../helpers/ink-screen.js'

const merge = (n: number) => ({ keep: `k${n}`, drop: `d${n}`, why: 'same_text', text: `text ${n}\u001b[2J` })

function open(t: ExecutionContext, merges: readonly object[]) {
  const answers: boolean[] = []
  const preview = {
    message: `${merges.length} duplicates would be merged`,
    details: { operationId: null, status: 'dry_run', skipped: 0, near: 2, merges },
  }
  const screen = render(
    <PreviewScreen
      {...askBefore('deduplicate', preview, colorsFor())}
      color={false}
      onEnd={answer => void answers.push(answer)}
    />,
  )
  t.teardown(screen.unmount)
  return {
    answers,
    press: (...keys: string[]) => pressKeys(screen, ...keys),
    frame: () => screen.lastFrame() ?? '',
  }
}

test('memory repair lists each change on a line, and asks by name (operations.md 5.7)', async t => {
  const { answers, press, frame } = open(t, [merge(1), merge(2)])
  t.regex(frame(), /^2 duplicates would be merged$/mu)
  t.regex(frame(), /^ +near +2$/mu)
  t.regex(frame(), /^ +d1 is merged into k1: "text 1.*"$/mu)
  t.false(frame().includes('\u001b[2J'), 'what is stored moves nothing on the screen')
  t.notRegex(frame(), /skipped|operationId|dry_run/u)
  t.regex(frame(), /Run deduplicate\? y \/ n/u)
  await press('x', 'y')
  t.deepEqual(answers, [true])
})

test('a long repair preview scrolls, and n changes nothing (operations.md 5.7)', async t => {
  const merges = Array.from({ length: 40 }, (_, n) => merge(n + 1))
  const { answers, press, frame } = open(t, merges)
  t.regex(frame(), /1 to 18 of 4\d/u)
  t.notRegex(frame(), /d40 goes/u)
  await press(' ', ' ', ' ')
  t.regex(frame(), /d40 is merged into k40/u)
  await press('n')
  t.deepEqual(answers, [false])
})
