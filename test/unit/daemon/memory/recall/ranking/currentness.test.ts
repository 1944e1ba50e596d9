import test from 'ava'
import fc from 'fast-check'
import {
  currentnessFactors,
  currentnessOf,
  type Validity,
} from '../../../../../../src/daemon/memory/recall/ranking/currentness.js'

const now = '2026-03-01T00:00:00.000Z'
const open: Validity = { superseded_by: null, valid_from: null, valid_until: null }

test('a row is superseded, expired, upcoming or current, checked in this order (recall.md 1.3.9)', t => {
  const until = '2026-03-01T00:00:00.000Z'
  const from = '2026-03-01T00:00:00.001Z'
  t.is(currentnessOf(open, now), 'current')
  t.is(currentnessOf({ ...open, valid_until: until }, now), 'expired')
  t.is(currentnessOf({ ...open, valid_from: from }, now), 'upcoming')
  t.is(currentnessOf({ ...open, superseded_by: 'x', valid_until: until }, now), 'superseded')
})

test('a superseded row counts half, or less if its successor is weaker (recall.md 1.3.9)', t => {
  const rows = new Map([
    ['old', { ...open, superseded_by: 'new' }],
    ['new', open],
  ])
  const factor = (evidence: number) =>
    currentnessFactors(rows, id => (id === 'old' ? 1 : evidence), now).get('old')
  t.is(factor(2), 0.5)
  t.is(factor(0.1), 0.95 * 0.1)
})

test('rows that supersede each other in a cycle are damped without an endless loop', t => {
  const rows = new Map([
    ['a', { ...open, superseded_by: 'b' }],
    ['b', { ...open, superseded_by: 'a' }],
  ])
  const factors = currentnessFactors(rows, () => 1, now)
  t.true([...factors.values()].every(factor => factor > 0 && factor <= 0.5))
})

test('in any chain every row ranks below its successor (recall.md 1.3.9)', t => {
  const chains = fc.array(fc.double({ min: 0.01, max: 3, noNaN: true }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(chains, fc.nat(), (values, seed) => {
      const ids = values.map((_, n) => `m${n}`)
      const rows = ids.map((id, n) => [id, { ...open, superseded_by: ids[n + 1] ?? null }] as const)
      const shuffled = [...rows.slice(seed % rows.length), ...rows.slice(0, seed % rows.length)]
      const evidence = new Map(ids.map((id, n) => [id, values[n]!]))
      const factors = currentnessFactors(new Map(shuffled), id => evidence.get(id), now)
      const ends = ids.map(id => evidence.get(id)! * (factors.get(id) ?? 1))
      t.true(ends.every((end, n) => n === 0 || ends[n - 1]! < end))
    }),
  )
})
