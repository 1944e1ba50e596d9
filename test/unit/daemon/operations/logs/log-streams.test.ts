import test from 'ava'
import type { LogEntry } from '../../../../../src/contract/operations/logs.js'
import { RecentLogs } from '../../../../../src/daemon/ground/logs/recent-logs.js'
import { LogStreams } from '../../../../../src/daemon/operations/logs/log-streams.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const line = (msg: string) => JSON.stringify({ level: 30, time: '2026-01-01T00:00:00.000Z', msg })

test('a reader that is too slow misses entries, is told how many, and is let go of at last', t => {
  const recentLogs = new RecentLogs()
  const time = manualTime()
  const now = () => time.clock().getTime()
  const streams = new LogStreams({ recentLogs, timers: time.timers, now })
  const slow = streams.open({})
  const read = () => String(slow.read() ?? '')
  t.is(read(), 'data: {"type":"connected"}\n\n')
  const long = 'x'.repeat(900)
  for (let count = 0; count < 1000; count++) recentLogs.take(line(long))
  t.true(slow.readableLength < 140_000)
  const kept = read().split('\n\n').filter(Boolean).length
  recentLogs.take(line('after'))
  const [dropped, after] = read().split('\n\n')
  t.deepEqual(JSON.parse((dropped ?? '').slice(6)), { type: 'dropped', count: 1000 - kept })
  t.like(JSON.parse((after ?? '').slice(6)) as LogEntry, { message: 'after' })
  for (let count = 0; count < 1000; count++) recentLogs.take(line(long))
  time.advance(30_001)
  recentLogs.take(line('last'))
  t.true(slow.destroyed)
})

test('as many readers as there is room for follow the log, and one that leaves makes room', t => {
  const streams = new LogStreams({ recentLogs: new RecentLogs(), maxReaders: 1, timers: manualTime().timers })
  const first = streams.open({})
  t.throws(() => streams.open({}), { message: /1 readers of the log/u })
  first.destroy()
  return new Promise<void>(resolve => first.once('close', resolve)).then(() => {
    t.notThrows(() => streams.open({}))
  })
})
