import test from 'ava'
import { TextRefused } from '../../../../src/store/embedding/provider.js'
import { toUnitVectors } from '../../../../src/store/embedding/vectors.js'

test('vectors are scaled to unit length', t => {
  t.deepEqual(toUnitVectors([[3, 4]], 1, null), [Float32Array.of(0.6, 0.8)])
})

test('very large values keep their direction', t => {
  const [vector] = toUnitVectors([[3e30, 4e30]], 1, 2)
  t.true(Math.abs(vector![0]! - 0.6) < 1e-6)
})

for (const [name, raw] of Object.entries({
  'not a number': [Number.NaN, 1],
  infinite: [Number.POSITIVE_INFINITY, 1],
  'all zero': [0, 0],
})) {
  test(`a vector that is ${name} is refused`, t => {
    t.throws(() => toUnitVectors([raw], 1, 2), { instanceOf: TextRefused, message: /unusable vector/ })
  })
}

test('vectors of different lengths in one reply are refused', t => {
  t.throws(() => toUnitVectors([[1, 2], [1]], 2, null), { message: /1 dimensions instead of 2/ })
})
