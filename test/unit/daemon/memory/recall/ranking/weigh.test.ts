import test from 'ava'
import { type Ranked, toScore } from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { ratingFactors } from '../../../../../../src/daemon/memory/recall/ranking/ratings.js'
import { weigh } from '../../../../../../src/daemon/memory/recall/ranking/weigh.js'

const row = (id: string, evidence: number): Ranked => ({
  id,
  evidence,
  score: toScore(evidence),
  own: evidence,
  contributions: [{ step: 'keyword', effect: 'add', value: evidence }],
})
const ranking = { ranked: [row('a', 1), row('b', 0.9)], timings: { fuse: 1 }, failures: [] }

test('a weighing reorders rows and shows in their contributions', t => {
  const { ranked, timings } = weigh(ranking, [{ name: 'half', run: () => new Map([['a', 0.5]]) }])
  t.deepEqual(
    ranked.map(({ id, evidence, score }) => [id, evidence, score]),
    [
      ['b', 0.9, toScore(0.9)],
      ['a', 0.5, toScore(0.5)],
    ],
  )
  t.deepEqual(ranked[1]!.contributions.at(-1), { step: 'half', effect: 'multiply', value: 0.5 })
  t.deepEqual(Object.keys(timings), ['fuse', 'half'])
})

test('a weighing that fails or gives no number is reported and changes nothing (spec 1, 1.3.9)', t => {
  const fail = () => {
    throw new Error('broken')
  }
  const weighed = weigh(ranking, [
    { name: 'broken', run: fail },
    { name: 'wild', run: () => new Map([['a', Number.NaN]]) },
  ])
  t.deepEqual(weighed.ranked, ranking.ranked)
  t.deepEqual(
    weighed.failures.map(({ step }) => step),
    ['broken', 'wild'],
  )
})

test('a weighing sees the evidence that the one before it left', t => {
  const seen: number[] = []
  weigh(ranking, [
    { name: 'half', run: () => new Map([['a', 0.5]]) },
    {
      name: 'look',
      run: ranked => {
        seen.push(...ranked.map(({ evidence }) => evidence))
        return new Map()
      },
    },
  ])
  t.deepEqual(seen, [0.9, 0.5])
})

test('ratings of -1 to 1 are factors of 0.5 to 1.5; a neutral one is none (spec 1, 4.9)', t => {
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
