import test from 'ava'
import {
  mentionedDate,
  relativeSpan,
  spanOf,
} from '../../../../../../src/daemon/memory/recall/ranking/dates.js'
import { now } from './sample-context.js'

test('absolute dates keep the precision they are written with', t => {
  t.deepEqual(mentionedDate('on 2023-05-08'), { year: 2023, month: 5, day: 8 })
  t.deepEqual(mentionedDate('on the 8th of May, 2023'), { year: 2023, month: 5, day: 8 })
  t.deepEqual(mentionedDate('What happened on May 8?'), { month: 5, day: 8 })
  t.deepEqual(mentionedDate('decisions of Sept 2024'), { year: 2024, month: 9 })
  t.deepEqual(mentionedDate('releases in 2024-11'), { year: 2024, month: 11 })
  t.deepEqual(mentionedDate('what broke in March'), { month: 3 })
  t.deepEqual(mentionedDate('goals for 2022?'), { year: 2022 })
})

test('words and numbers that are not dates are ignored', t => {
  for (const query of [
    'may I deploy on Friday',
    'march through the backlog',
    'port 2049',
    'v2024.1.3 release',
    'http://localhost:2020/x',
    'issue-2023',
    '13/45/2023',
    'error 20231',
  ]) {
    t.is(mentionedDate(query), undefined, query)
  }
})

test('a date covers its day, month or year; a missing year is that of the row', t => {
  t.deepEqual(spanOf({ month: 2 }, 2024), { from: Date.UTC(2024, 1, 1), to: Date.UTC(2024, 2, 1) })
  t.deepEqual(spanOf({ year: 2023, month: 12, day: 31 }, 2024), {
    from: Date.UTC(2023, 11, 31),
    to: Date.UTC(2024, 0, 1),
  })
  t.deepEqual(spanOf({ year: 2023 }, 2024), { from: Date.UTC(2023, 0), to: Date.UTC(2024, 0) })
})

test('relative dates count back from now', t => {
  const day = 86_400_000
  const inside = (query: string, daysAgo: number) => {
    const span = relativeSpan(query, now)!
    const time = now - daysAgo * day
    return time >= span.from && time < span.to
  }
  t.true(inside('what did I do yesterday', 1))
  t.false(inside('what did I do yesterday', 2))
  t.true(inside('today’s notes', 0))
  t.true(inside('the decision from 3 weeks ago', 21))
  t.false(inside('the decision from 3 weeks ago', 60))
  t.true(inside('last month', 20))
  t.is(relativeSpan('the last release', now), undefined)
})
