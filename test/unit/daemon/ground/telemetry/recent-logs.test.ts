import test from 'ava'
import { RecentLogs } from '../../../../../src/daemon/ground/telemetry/recent-logs.js'

const line = (level: number, msg: string) => JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', msg })

test('the newest 2,000 entries are kept, and warnings separately', t => {
  const logs = new RecentLogs()
  logs.take(line(40, 'careful'))
  for (let count = 0; count < 2500; count++) logs.take(line(30, String(count)))
  const kept = logs.list({}, 5000).map(({ message }) => message)
  t.is(kept.length, 2000)
  t.is(kept[0], '500')
  t.is(kept.at(-1), '2499')
  t.deepEqual(
    logs.faults({}).map(({ message }) => message),
    ['careful'],
  )
  logs.take('no line of a log')
  t.is(logs.list({}, 1)[0]?.message, '2499')
})

test('an entry of the level info has the numbers of its line and no text, others only its words', t => {
  const logs = new RecentLogs()
  const fields = { pid: 7, import: 'secret name', imported: 24, rejected: 1, durationMs: 12.4 }
  const take = (level: number) => {
    logs.take(
      JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', ...fields, msg: 'transcripts imported' }),
    )
    return logs.list({}, 1)[0]?.message
  }
  t.is(take(30), 'transcripts imported (24 imported, 1 rejected, duration 12 ms)')
  for (const other of [20, 40, 50]) t.is(take(other), 'transcripts imported')
})
