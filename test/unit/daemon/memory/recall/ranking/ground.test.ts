import test from 'ava'
import { groundFactors } from '../../../../../../src/daemon/memory/recall/ranking/currentness.js'

test('a memory loses evidence in proportion to its changed or removed code (code-index.md 11)', t => {
  const factors = groundFactors(
    new Map([
      ['gone', { here: 0, changed: 0, gone: 1 }],
      ['half', { here: 1, changed: 0, gone: 1 }],
      ['changed', { here: 0, changed: 1, gone: 0 }],
    ]),
  )
  t.deepEqual(
    [...factors.values()].map(factor => Number(factor.toFixed(3))),
    [0.9, 0.95, 0.97],
  )
})
