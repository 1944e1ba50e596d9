import test from 'ava'
import { matchCommand, wantsHelp } from '../../../../src/cli/shell/match-command.js'

const ids = ['daemon:run', 'daemon:stop', 'status', 'embedding:status', 'config']

test('the longest matching command id wins', t => {
  t.deepEqual(matchCommand(['daemon', 'run', '--json', 'x'], ids), {
    id: 'daemon:run',
    argv: ['--json', 'x'],
  })
  t.deepEqual(matchCommand(['config', 'get', 'a'], [...ids, 'config:get']), { id: 'config:get', argv: ['a'] })
  t.deepEqual(matchCommand(['config', 'run'], ids), { id: 'config', argv: ['run'] })
})

test('a topic, a typo, a leading flag and no words match no command', t => {
  for (const argv of [['daemon'], ['daemno', 'run'], ['--json', 'status'], []])
    t.is(matchCommand(argv, ids), undefined)
})

test('--help after -- is an argument', t => {
  t.true(wantsHelp(['status', '-h']))
  t.false(wantsHelp(['remember', '--', '--help']))
})
