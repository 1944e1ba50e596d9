import type { Readable } from 'node:stream'
import test from 'ava'
import { pino } from 'pino'
import type { LogEntry } from '../../../../../src/contract/operations/logs.js'
import { RecentLogs } from '../../../../../src/daemon/ground/telemetry/recent-logs.js'
import { LogStreams } from '../../../../../src/daemon/operations/logs/log-streams.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const line = (msg: string, level = 30) => JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', msg })

/** Streams whose clock stands still, and what one of their readers got since it was asked before. */
function followed({ maxReaders = 128 } = {}) {
  const recentLogs = new RecentLogs()
  const time = manualTime()
  const said: string[] = []
  const log = pino({ level: 'warn' }, { write: text => void said.push(JSON.parse(text).msg) })
  const streams = new LogStreams({
    recentLogs,
    log,
    maxReaders,
    timers: time.timers,
    now: () => time.clock().getTime(),
  })
  return { recentLogs, time, streams, said }
}

const textOf = (reader: Readable) => String(reader.read() ?? '')
const eventsOf = (reader: Readable) =>
  textOf(reader)
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.slice('data: '.length)) as { message?: string })

test('a reader that is too slow misses entries, is told how many, and is let go of at last', t => {
  const { recentLogs, time, streams, said } = followed()
  const slow = streams.open({})
  t.is(textOf(slow), 'data: {"type":"connected"}\n\n')
  const long = 'x'.repeat(900)
  for (let count = 0; count < 1000; count++) recentLogs.take(line(long))
  time.advance(50)
  t.true(slow.readableLength < 210_000)
  const kept = eventsOf(slow).length
  recentLogs.take(line('after'))
  time.advance(50)
  const [dropped, after] = eventsOf(slow)
  t.deepEqual(dropped, { type: 'dropped', count: 1000 - kept })
  t.like(after as LogEntry, { message: 'after' })
  for (let count = 0; count < 1000; count++) recentLogs.take(line(long))
  time.advance(30_001)
  recentLogs.take(line('last'))
  time.advance(50)
  t.true(slow.destroyed)
  t.deepEqual(said, ['a reader of the log took nothing and was let go of'])
})

test('entries that come together go to each reader together, chosen as it asked, from when it came', t => {
  const { recentLogs, time, streams } = followed()
  const all = streams.open({})
  const warnings = streams.open({ level: 'warn' })
  recentLogs.take(line('one'))
  recentLogs.take(line('two', 40))
  const late = streams.open({})
  recentLogs.take(line('three', 50))
  t.deepEqual(time.waits(), [50, 15_000, 15_000, 15_000])
  time.advance(50)
  const got = [all, warnings, late].map(reader => eventsOf(reader).map(({ message }) => message))
  t.deepEqual(got, [
    [undefined, 'one', 'two', 'three'],
    [undefined, 'two', 'three'],
    [undefined, 'three'],
  ])
  recentLogs.take(line('last words'))
  streams.end()
  t.like(eventsOf(all)[0], { message: 'last words' })
})

test('as many readers as there is room for follow the log, and one that leaves makes room', t => {
  const { streams } = followed({ maxReaders: 1 })
  const first = streams.open({})
  t.throws(() => streams.open({}), { message: /1 readers of the log/u })
  first.destroy()
  return new Promise<void>(resolve => first.once('close', resolve)).then(() => {
    t.notThrows(() => streams.open({}))
  })
})
