import test from 'ava'
import { explain } from '../../../../../../src/daemon/memory/recall/ranking/explain.js'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { contextOf, hitsOf } from './sample-context.js'

test('an explanation is plain data that names each channel and what it gave', t => {
  const hits = hitsOf({ keyword: { a: 0.5 }, hints: { a: 1 } })
  const explanation = explain(rankCandidates(contextOf({ hits })).ranked[0]!)
  t.deepEqual(JSON.parse(JSON.stringify(explanation)), {
    score: 0.75,
    evidence: 1,
    contributions: [
      { step: 'keyword', effect: 'add', value: 0.5 },
      { step: 'hints', effect: 'add', value: 0.5 },
    ],
    formula: 'score = 1 - 4^-(sum of add * product of multiply)',
  })
})
