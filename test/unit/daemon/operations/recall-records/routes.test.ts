import test from 'ava'
import { type AnswerRow, compareAnswers } from '../../../../../src/daemon/operations/recall-records/routes.js'

const answer = (...ids: string[]): AnswerRow[] =>
  ids.map((id, index) => ({ id, rank: index + 1, content: `text of ${id}` }))

test('the difference of two answers is what was found, lost and moved, apart from settings (telemetry.md 6)', t => {
  t.deepEqual(compareAnswers(answer('a', 'b'), answer('a', 'b'), new Set()), {
    found: [],
    lost: [],
    moved: [],
  })
  t.deepEqual(compareAnswers(answer('a', 'b', 'c', 'd'), answer('b', 'a', 'e', 'f'), new Set(['d', 'e'])), {
    found: [
      { id: 'e', rank: 3, content: 'text of e', why: 'changed' },
      { id: 'f', rank: 4, content: 'text of f', why: 'ranked' },
    ],
    lost: [
      { id: 'c', rank: 3, content: 'text of c', why: 'ranked' },
      { id: 'd', rank: 4, content: 'text of d', why: 'changed' },
    ],
    moved: [
      { id: 'b', from: 2, to: 1, content: 'text of b' },
      { id: 'a', from: 1, to: 2, content: 'text of a' },
    ],
  })
})
