import test from 'ava'
import { DailyCounts } from '../../../../../src/daemon/platform/counts/request-counts.js'

const morning = new Date(2026, 2, 10, 8)
const tomorrow = new Date(2026, 2, 11, 0, 1)

test('days are counted by local date, oldest first, and days without anything are zero (telemetry.md 2)', t => {
  const daily = new DailyCounts()
  daily.note({ recalls: 1, found: 1, recallMs: 4 }, morning)
  daily.note({ recalls: 1 }, morning)
  daily.note({ saved: 2 }, tomorrow)
  const [before, first, second] = daily.last(3, tomorrow)
  t.like(before, { day: '2026-03-09', recalls: 0, saved: 0 })
  t.like(first, { day: '2026-03-10', recalls: 2, found: 1, recallMs: 4 })
  t.like(second, { day: '2026-03-11', saved: 2, recalls: 0 })
})

test('a restart continues the days, also the one that it falls on (telemetry.md 2)', t => {
  const before = new DailyCounts()
  before.note({ saved: 1 }, morning)
  const after = new DailyCounts()
  after.note({ saved: 4 }, morning)
  after.goOn(before.kept())
  t.is(after.last(1, morning)[0]?.saved, 5)
})

test('ninety days are kept', t => {
  const daily = new DailyCounts()
  for (let number = 0; number < 120; number++) daily.note({ saved: 1 }, new Date(2026, 0, 1 + number))
  t.is(daily.kept().length, 90)
  t.is(daily.kept()[0]?.day, '2026-01-31')
})
