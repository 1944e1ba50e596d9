import test from 'ava'
import fc from 'fast-check'
import { TopRows } from '../../../../../src/store/index/arrays/top-rows.js'
import { pairsOf } from '../pairs-of.js'

test('the best rows equal those of a full sort, lower rows first among equals', t => {
  // Few different scores, so that many are equal.
  const score = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }))
  fc.assert(
    fc.property(fc.array(score, { maxLength: 200 }), fc.integer({ min: 0, max: 40 }), (scores, depth) => {
      const expected = scores
        .map((score, row): [number, number] => [row, score])
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, depth)
      const top = new TopRows(depth)
      for (const [row, score] of scores.entries()) {
        top.push(row, score)
        if (row % 50 === 49) top.prune()
      }
      t.deepEqual(
        [...top.rows].sort((a, b) => a - b),
        expected.map(([row]) => row).sort((a, b) => a - b),
      )
      if (scores.length >= depth) t.is(top.floor, expected.at(-1)?.[1] ?? Infinity)
      t.deepEqual(pairsOf(top.sorted()), expected)
    }),
  )
})

test('equal scores come in the order of the numbers of their rows', t => {
  const changes = Float64Array.from([30, 10, 20, 10])
  const top = new TopRows(3, changes)
  for (const row of changes.keys()) top.push(row, 1)
  t.deepEqual(pairsOf(top.sorted()), [
    [1, 1],
    [3, 1],
    [2, 1],
  ])
})
