import test from 'ava'
import { crowdingFactors } from '../../../../../../src/daemon/memory/recall/ranking/crowding.js'

const row = (type: string, source_id: string | null) => ({
  type,
  source_id,
  superseded_by: null,
  valid_from: null,
  valid_until: null,
})

test('the best three chunks of a document keep their evidence, the others are damped (documents.md#finding)', t => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const rows = new Map(ids.map(id => [id, row('document_chunk', 'one')]))
  const evidence = new Map(ids.map((id, place) => [id, place]))
  t.deepEqual(
    [...crowdingFactors(rows, id => evidence.get(id))],
    [
      ['b', 0],
      ['a', 0],
    ],
  )
})

test('memories and chunks of other documents are not damped', t => {
  const rows = new Map([
    ...['a', 'b', 'c', 'd'].map(id => [id, row('fact', 'one')] as const),
    ...['e', 'f', 'g', 'h'].map(id => [id, row('document_chunk', id)] as const),
  ])
  t.is(crowdingFactors(rows, () => undefined).size, 0)
})
