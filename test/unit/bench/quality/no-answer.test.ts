import test from 'ava'
import { areaUnderCurve } from '../../../../bench/quality/no-answer.js'

test('the area under the curve is 1 if all scores lie above the others, 0 if none does', t => {
  t.is(areaUnderCurve([3, 4], [1, 2]), 1)
  t.is(areaUnderCurve([1, 2], [3, 4]), 0)
})

test('equal scores count as one half', t => {
  t.is(areaUnderCurve([1, 1], [1, 1]), 0.5)
  t.is(areaUnderCurve([2, 0.5], [1, 2, 0]), 3.5 / 6)
})
