import test from 'ava'
import { CandidateRows } from '../../../../../../src/daemon/memory/recall/ranking/candidate-rows.js'
import { runSteps } from '../../../../../../src/daemon/memory/recall/ranking/run-steps.js'
import type { Step } from '../../../../../../src/daemon/memory/recall/ranking/step.js'
import { hitsOf, tableOf } from './sample-context.js'

type Context = { query: string }

const context: Context = { query: 'q' }
/** Rows a and b with evidence, and c as a candidate without. */
const given = () =>
  tableOf(
    new CandidateRows(hitsOf({ keyword: { a: 1, b: 0.9, c: 0 } })),
    new Map([
      ['a', 1],
      ['b', 0.9],
    ]),
  )
const run = (...steps: Step<Context>[]) => {
  const { ranked, ...report } = runSteps(steps, context, given())
  return { ...report, ranked: ranked.slice() }
}
const multiply = { effect: 'multiply', optional: true } as const
const half: Step<Context> = { name: 'half', ...multiply, run: () => new Map([['a', 0.5]]) }
const fail = () => {
  throw new Error('broken')
}

test('a step reorders rows and appears in their contributions', t => {
  const { ranked, timings } = run(half)
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

test('a failing optional step, or one without numbers, is reported and changes nothing (recall.md 1.3.9)', t => {
  const ranking = run(
    { name: 'broken', ...multiply, run: fail },
    { name: 'wild', ...multiply, run: () => new Map([['a', Number.NaN]]) },
    { name: 'endless', ...multiply, run: (_, { rows }) => new Float64Array(rows.capacity).fill(Infinity) },
  )
  t.deepEqual(ranking.ranked, run().ranked)
  t.deepEqual(
    ranking.failures.map(({ step }) => step),
    ['broken', 'wild', 'endless'],
  )
})

test('a failing required step fails the ranking', t => {
  t.throws(() => run({ ...half, optional: false, run: fail }), { message: 'broken' })
})

test('a step sees the evidence of the step before', t => {
  const seen: number[] = []
  const look: Step<Context> = {
    name: 'look',
    ...multiply,
    run: (_context, table) => {
      seen.push(table.evidenceOf('a')!, table.evidenceOf('b')!)
      return undefined
    },
  }
  run(half, look)
  t.deepEqual(seen, [0.5, 0.9])
})

test('a step sees candidates added by an earlier step', t => {
  const seen: string[] = []
  const wider: Step<Context> = {
    name: 'wider',
    effect: 'widen',
    optional: true,
    run: (_context, { rows }) => [rows.placeOf('c')!],
  }
  const look: Step<Context> = {
    name: 'look',
    effect: 'add',
    optional: true,
    run: (_context, table) => {
      seen.push(...['a', 'b', 'c', 'd'].filter(id => table.isCandidate(table.rows.placeOf(id) ?? -1)))
      return undefined
    },
  }
  run(wider, look)
  t.deepEqual(seen, ['a', 'b', 'c'])
})

test('a disabled step is neither run nor timed, and an untimed step runs', t => {
  const { timings, ranked } = run(
    { name: 'unwanted', ...multiply, when: () => false, run: fail },
    { ...half, untimed: true },
  )
  t.deepEqual(timings, {})
  t.is(ranked[1]!.evidence, 0.5)
})
