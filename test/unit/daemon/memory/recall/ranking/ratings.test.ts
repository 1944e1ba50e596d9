import test from 'ava'
import { ratingFactors } from '../../../../../../src/daemon/memory/recall/ranking/steps.js'

test('ratings from -1 to 1 become factors from 0.5 to 1.5, and neutral has none (recall.md 4.9)', t => {
  const ratings = new Map([
    ['bad', -1],
    ['so', 0],
    ['fair', 0.5],
    ['good', 1],
  ])
  t.deepEqual(
    [...ratingFactors(ratings)],
    [
      ['bad', 0.5],
      ['fair', 1.25],
      ['good', 1.5],
    ],
  )
})
