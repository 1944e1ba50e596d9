import test from 'ava'
import { areaUnderCurve } from '../../../../bench/quality/no-answer.js'

test('the area under the curve is 1 when every score is above the others, 0 when none is', t => {
  t.is(areaUnderCurve([3, 4], [1, 2]), 1)
  t.is(areaUnderCurve([1, 2], [3, 4]), 0)
})

test('equal scores count half', t => {
  t.is(areaUnderCurve([1, 1], [1, 1]), 0.5)
  t.is(areaUnderCurve([2, 0.5], [1, 2, 0]), 3.5 / 6)
})
