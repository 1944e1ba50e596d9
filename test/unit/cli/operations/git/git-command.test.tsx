// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { remoteQuestion } from '../../../../../src/cli/operations/git/git-command.js'
import { QuestionsScreen } from '../../../../../src/cli/tui/ask-questions.js'
import { pressKeys } from '../../../../helpers/ink-screen.js'

function open(t: ExecutionContext) {
  const ended: (readonly string[] | undefined)[] = []
  const screen = render(
    <QuestionsScreen
      questions={[remoteQuestion]}
      color={false}
      onEnd={answers => void ended.push(answers)}
    />,
  )
  t.teardown(screen.unmount)
  return { ended, screen }
}

test('a new repository asks for its remote; Enter alone means none (operations.md 1.1)', async t => {
  const named = open(t)
  t.regex(named.screen.lastFrame() ?? '', /Remote:[\s\S]*leave empty to keep it on this machine/)
  await pressKeys(named.screen, 'git@host:me.git', '\r')
  t.deepEqual(named.ended, [['git@host:me.git']])
  const none = open(t)
  await pressKeys(none.screen, '\r')
  t.deepEqual(none.ended, [['']])
})
