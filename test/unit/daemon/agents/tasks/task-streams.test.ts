import test from 'ava'
import { TaskStreams } from '../../../../../src/daemon/agents/tasks/task-streams.js'
import { manualTime } from '../../../../helpers/manual-time.js'

test('a reader receives a comment every 15 seconds until it leaves (tasks.md 4.8)', t => {
  const time = manualTime()
  const stream = new TaskStreams(time.timers).open('task', undefined)
  const told = () => String(stream.read() ?? '')
  t.regex(told(), /^event: connected\ndata: .*\n\n$/u)
  time.advance(14_999)
  t.is(told(), '')
  time.advance(1)
  t.is(told(), ': keep-alive\n\n')
  time.advance(30_000)
  t.is(told(), ': keep-alive\n\n: keep-alive\n\n')
  stream.destroy()
  t.deepEqual(time.waits(), [], 'nothing is kept for it')
})
