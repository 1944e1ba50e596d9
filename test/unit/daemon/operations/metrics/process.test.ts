import test from 'ava'
import { exposition, states } from '../../../../../src/daemon/operations/metrics/process.js'
import { parseExposition } from '../../../../helpers/exposition.js'

test('labels are quoted so that none can break a line (metrics.md)', t => {
  const value = 'a "b" \\ c\nd'
  const text = exposition([
    { name: 'one', help: 'h', type: 'gauge', samples: [{ labels: { label: value }, value: 1 }] },
  ])
  t.is(text.split('\n').length, 4)
  t.is(parseExposition(text).samples[0]?.labels.label, 'a \\"b\\" \\\\ c\\nd')
})

test('special numbers have their words, and a metric without values is still declared (metrics.md)', t => {
  const samples = [Number.NaN, Number.POSITIVE_INFINITY, 1e21].map((value, at) => ({
    labels: { at: String(at) },
    value,
  }))
  const text = exposition([
    { name: 'one', help: 'h', type: 'gauge', samples },
    { name: 'two', help: 'h', type: 'counter', samples: [] },
  ])
  const parsed = parseExposition(text)
  t.deepEqual(
    parsed.samples.map(({ value }) => value),
    [Number.NaN, Number.POSITIVE_INFINITY, 1e21],
  )
  t.true(parsed.types.has('two'))
})

test('exactly one state has the value 1 (metrics.md)', t => {
  const values = states('state', ['open', 'closed'], 'closed').map(({ value }) => value)
  t.deepEqual(values, [0, 1])
})
