import test from 'ava'
import { explain } from '../../../../../../src/daemon/memory/recall/reply/row.js'
import { rankingOf } from './sample-context.js'

test('an explanation is plain data with each channel and its contribution', t => {
  const { ranked, confidence } = rankingOf({ keyword: { a: 0.5 }, hints: { a: 1 } })
  t.deepEqual(JSON.parse(JSON.stringify(explain(ranked[0]!, confidence))), {
    score: confidence.value,
    evidence: 1,
    contributions: [
      { step: 'keyword', effect: 'add', value: 0.5 },
      { step: 'hints', effect: 'add', value: 0.5 },
    ],
    formula: explain(ranked[0]!, confidence).formula,
  })
})

test('the explained formula yields the score', t => {
  const { ranked, confidence } = rankingOf({ keyword: { a: 0.8, b: 0.7 } })
  const { score, evidence, formula } = explain(ranked[1]!, confidence)
  const numbers =
    /^evidence = sum of add \* product of multiply; score = confidence (\S+) of the best row \* \(evidence \/ (\S+) of the best row\)\^(\d+)$/u.exec(
      formula,
    )
  const [value, best, decay] = numbers!.slice(1).map(Number) as [number, number, number]
  t.true(Math.abs(score - value * (evidence / best) ** decay) < 1e-4)
})
