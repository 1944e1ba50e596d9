import test from 'ava'
import {
  type Contribution,
  evidenceById,
  type Step,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { runSteps } from '../../../../../../src/daemon/memory/recall/ranking/run-steps.js'

type Context = { own: ReadonlyMap<string, number> }

const contribution = (value: number): Contribution => ({ step: 'keyword', effect: 'add', value })
const context: Context = {
  own: new Map([
    ['a', 1],
    ['b', 0.9],
  ]),
}
const given = new Map([
  ['a', [contribution(1)]],
  ['b', [contribution(0.9)]],
])
const multiply = { effect: 'multiply', optional: true } as const
const half: Step<Context> = { name: 'half', ...multiply, run: () => new Map([['a', 0.5]]) }
const fail = () => {
  throw new Error('broken')
}

test('a step reorders rows and shows in their contributions', t => {
  const { ranked, timings } = runSteps([half], context, given)
  t.deepEqual(
    ranked.map(({ id, evidence }) => [id, evidence]),
    [
      ['b', 0.9],
      ['a', 0.5],
    ],
  )
  t.deepEqual(ranked[1]!.contributions.at(-1), { step: 'half', effect: 'multiply', value: 0.5 })
  t.deepEqual(Object.keys(timings), ['half'])
})

test('an optional step that fails or gives no number is reported and changes nothing (recall.md 1.3.9)', t => {
  const ranking = runSteps(
    [
      { name: 'broken', ...multiply, run: fail },
      { name: 'wild', ...multiply, run: () => new Map([['a', Number.NaN]]) },
    ],
    context,
    given,
  )
  t.deepEqual(ranking.ranked, runSteps([], context, given).ranked)
  t.deepEqual(
    ranking.failures.map(({ step }) => step),
    ['broken', 'wild'],
  )
})

test('a step that is not optional fails the ranking', t => {
  t.throws(() => runSteps([{ ...half, optional: false, run: fail }], context, given), { message: 'broken' })
})

test('a step sees the evidence that the one before it left', t => {
  const seen: number[] = []
  const look: Step<Context> = {
    name: 'look',
    ...multiply,
    run: (_context, before) => {
      seen.push(...evidenceById(before).values())
      return new Map()
    },
  }
  runSteps([half, look], context, given)
  t.deepEqual(seen, [0.5, 0.9])
})

test('a step sees the candidates that another one brought in', t => {
  const seen: string[] = []
  const wider: Step<Context> = {
    name: 'wider',
    effect: 'widen',
    optional: true,
    run: ({ own }) => new Map([...own, ['c', 0]]),
  }
  const look: Step<Context> = {
    name: 'look',
    effect: 'add',
    optional: true,
    run: ({ own }) => {
      seen.push(...own.keys())
      return new Map()
    },
  }
  runSteps([wider, look], context, given)
  t.deepEqual(seen, ['a', 'b', 'c'])
})

test('a step that is not wanted is neither run nor timed, one without a time runs', t => {
  const { timings, ranked } = runSteps<Context>(
    [
      { name: 'unwanted', ...multiply, when: () => false, run: fail },
      { ...half, untimed: true },
    ],
    context,
    given,
  )
  t.deepEqual(timings, {})
  t.is(ranked[1]!.evidence, 0.5)
})
