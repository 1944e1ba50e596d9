import test from 'ava'
import { pathOf } from '../../../src/ui/api/address.js'
import { stackedWeeks, type Week } from '../../../src/ui/home/stacked-weeks.js'
import { placeAround } from '../../../src/ui/knowledge/place-around.js'
import { mergeLines } from '../../../src/ui/operations/log-lines.js'
import { scrolledTo, visibleRows } from '../../../src/ui/parts/table/visible-rows.js'
import { compare } from '../../../src/ui/recall-lab/compare.js'
import { waterfallOf } from '../../../src/ui/recall-lab/waterfall-of.js'
import { addressOf, placeOf } from '../../../src/ui/routing/place.js'

test('an address is read back as it was written', t => {
  const address = addressOf('memories', ['a/b?c'], { q: 'ünï & <b>', tag: '', who: undefined })
  t.deepEqual(placeOf(address), { page: 'memories', rest: ['a/b?c'], query: { q: 'ünï & <b>' } })
  t.deepEqual(placeOf(''), { page: '', rest: [], query: {} })
  t.deepEqual(placeOf('#/memories/%zz').rest, ['%zz'])
})

test('a request path encodes its parameters and omits empty ones', t => {
  t.is(
    pathOf('/api/memory/:id', { id: '../x y' }, { a: 'ä&', b: undefined, c: '', d: false }),
    '/api/memory/..%2Fx%20y?a=%C3%A4%26&d=false',
  )
})

test('of 100,000 rows only the visible ones are drawn, also at both ends', t => {
  const view = { top: 0, height: 720, rowHeight: 36 }
  t.deepEqual(visibleRows(100_000, view), { from: 0, to: 28 })
  t.deepEqual(visibleRows(100_000, { ...view, top: 36 * 50_000 }), { from: 49_992, to: 50_028 })
  t.deepEqual(visibleRows(100_000, { ...view, top: 36 * 99_980 }), { from: 99_972, to: 100_000 })
  t.deepEqual(visibleRows(3, { ...view, top: 5000 }), { from: 0, to: 3 })
  t.deepEqual(visibleRows(0, view), { from: 0, to: 0 })
  t.is(scrolledTo(5, view), 0)
  t.is(scrolledTo(25, view), 26 * 36 - 720)
  t.is(scrolledTo(2, { ...view, top: 360 }), 72)
})

test('a waterfall adds first and then multiplies, like the score', t => {
  const steps = waterfallOf([
    { step: 'recency', effect: 'multiply', value: 0.5 },
    { step: 'words', effect: 'add', value: 2 },
    { step: 'tags', effect: 'add', value: 1 },
  ])
  t.deepEqual(
    steps.map(({ step, from, to }) => [step, from, to]),
    [
      ['words', 0, 2],
      ['tags', 2, 3],
      ['recency', 3, 1.5],
    ],
  )
})

test('weekly bars are stacked by type, rare types together', t => {
  const weeks: Week[] = [
    { week: '2026-01-05', types: { fact: 5, rule: 1 } },
    { week: '2026-01-12', types: { fact: 2, rule: 3, issue: 1 } },
  ]
  t.deepEqual(
    stackedWeeks(weeks).map(({ type, tops }) => [type, tops]),
    [
      ['fact', [5, 2]],
      ['rule', [6, 5]],
      ['issue', [6, 6]],
    ],
  )
  const types = { a: 9, b: 8, c: 7, d: 6, e: 2, f: 1 }
  const many = stackedWeeks([{ week: '2026-01-05', types }])
  t.deepEqual(
    many.map(({ type, tops }) => [type, ...tops]),
    [
      ['a', 9],
      ['b', 17],
      ['c', 24],
      ['d', 30],
      ['other', 33],
    ],
  )
  t.true(many.every(({ share }) => share > 0 && share <= 1))
  t.deepEqual(stackedWeeks([]), [])
})

test('repeating a recall reports found, lost and moved memories', t => {
  t.deepEqual(compare(['a', 'b', 'c'], ['b', 'a', 'd']), {
    found: ['d'],
    lost: ['c'],
    moved: [
      { id: 'b', from: 2, to: 1 },
      { id: 'a', from: 1, to: 2 },
    ],
  })
})

test('log lines repeated after a lost connection are inserted in order, without duplicates', t => {
  const line = (second: number, message = 'said') => ({ at: `2026-03-10T12:00:0${second}.000Z`, message })
  const known = [line(1), line(2), line(5)]
  t.deepEqual(mergeLines(known, [line(2), line(3), line(5), line(5, 'other')]), [
    line(1),
    line(2),
    line(3),
    line(5),
    line(5, 'other'),
  ])
  t.deepEqual(mergeLines(known, [line(9)], 2), [line(5), line(9)])
  t.deepEqual(mergeLines([], []), [])
})

test('nodes around an entity have distinct positions on rings that do not overlap', t => {
  const centre = { x: 10, y: 0 }
  const places = placeAround(centre, 1000)
  t.is(new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size, 1000)
  const distances = places.map(({ x, y }) => Math.hypot(x - centre.x, y - centre.y))
  t.true(Math.min(...distances) > 9)
  t.is(new Set(distances.map(distance => Math.round(distance))).size, 25)
  t.deepEqual(placeAround(centre, 0), [])
})
