import type { Readable } from 'node:stream'
import test from 'ava'
import { pino } from 'pino'
import type { LogEntry } from '../../../../../src/contract/operations/logs.js'
import { RecentLogs } from '../../../../../src/daemon/ground/telemetry/recent-logs.js'
import { LogStreams } from '../../../../../src/daemon/operations/logs/domain.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const line = (msg: string, level = 30) => JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', msg })

/** Opens streams with a manual clock, and records the daemon's own warnings. */
function openStreams({ maxReaders = 128 } = {}) {
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

test('a slow reader loses entries, receives their count and is finally disconnected', t => {
  const { recentLogs, time, streams, said } = openStreams()
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
  t.deepEqual(said, ['slow log reader disconnected'])
})

test('entries are sent to readers in batches, filtered, from their start on', t => {
  const { recentLogs, time, streams } = openStreams()
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

test('readers are limited, and one that leaves frees a place', t => {
  const { streams } = openStreams({ maxReaders: 1 })
  const first = streams.open({})
  t.throws(() => streams.open({}), { message: /1 log readers/u })
  first.destroy()
  return new Promise<void>(resolve => first.once('close', resolve)).then(() => {
    t.notThrows(() => streams.open({}))
  })
})
