import test from 'ava'
import type { ItemKind } from '../../../../../src/contract/memory/memory.js'
import { coverageOf } from '../../../../../src/daemon/ground/text/word-coverage.js'
import { inOneOrder } from '../../../../../src/daemon/operations/items/search-items.js'

const item = (kind: ItemKind, id: string, answers: number) => {
  return { kind, id, title: id, text: id, project: null, who: null, at: null, answers }
}
const idsOf = (items: ReturnType<typeof inOneOrder>) => items.map(({ id }) => id)

test('the item that covers more of the query comes first, whatever its kind', t => {
  const items = [item('memory', 'half', 0.5), item('session', 'whole', 1), item('note', 'most', 0.75)]
  t.deepEqual(idsOf(inOneOrder(items)), ['whole', 'most', 'half'])
})

test('items that cover the same keep the order of their kind, and the best of each kind come early', t => {
  const items = [
    item('memory', 'm1', 1),
    item('memory', 'm2', 1),
    item('memory', 'm3', 1),
    item('note', 'n1', 1),
  ]
  t.deepEqual(idsOf(inOneOrder(items)), ['m1', 'n1', 'm2', 'm3'])
})

test('of equal items exact names come first and long texts last', t => {
  const kinds = ['session', 'note', 'document', 'memory', 'code', 'entity'] as const
  t.deepEqual(idsOf(inOneOrder(kinds.map(kind => item(kind, kind, 1)))), kinds.toReversed())
})

test('scores are between 0 and 1', t => {
  const [best, least] = inOneOrder([item('memory', 'a', 1), item('code', 'b', 0)])
  t.is(best?.score, 1)
  t.is(least?.score, 0.2)
})

test('weak words count half, and a long question needs five words', t => {
  t.is(coverageOf('crane harbour')('the harbours'), 0.5)
  t.is(coverageOf('use crane')('a crane'), 1 / 1.5)
  t.is(coverageOf('one two three four five six seven eight nine')('two three four five six'), 1)
  t.is(coverageOf('what is the')('anything'), 0)
})
