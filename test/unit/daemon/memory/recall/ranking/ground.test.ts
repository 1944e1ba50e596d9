import test from 'ava'
import { groundFactors, movedGround } from '../../../../../../src/daemon/memory/recall/ranking/ground.js'

const tie = (memory_id: string, state: string) => ({ memory_id, state })

test('a memory loses by the share of its code that changed or is gone (code-index.md 11)', t => {
  const moved = movedGround([
    tie('whole', 'here'),
    tie('gone', 'gone'),
    tie('half', 'here'),
    tie('half', 'gone'),
    tie('changed', 'changed'),
  ])
  const factors = groundFactors(moved)
  t.deepEqual([...factors.keys()], ['gone', 'half', 'changed'])
  t.deepEqual(
    [...factors.values()].map(factor => Number(factor.toFixed(3))),
    [0.9, 0.95, 0.97],
  )
})
