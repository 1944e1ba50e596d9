// runs: in turn

import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { createGate } from '../../../../src/lib/concurrency/gate.js'

test('a gate admits up to its limit, and others in order of arrival', async t => {
  const gate = createGate(10)
  const inside: string[] = []
  const enter = (name: string, amount: number) =>
    gate.enter(amount).then(leave => {
      inside.push(name)
      return leave
    })
  const [first, second] = [await enter('first', 6), await enter('second', 4)]
  void enter('large', 9)
  void enter('small', 1)
  await nextTurn()
  t.deepEqual(inside, ['first', 'second'])
  second()
  await nextTurn()
  // Small amounts must not overtake, or a large one could wait forever.
  t.deepEqual(inside, ['first', 'second'])
  first()
  await nextTurn()
  t.deepEqual(inside, ['first', 'second', 'large', 'small'])
})

test('leaving twice frees one place', async t => {
  const gate = createGate(1)
  const leave = await gate.enter(1)
  leave()
  leave()
  await gate.enter(1)
  let entered = false
  void gate.enter(1).then(() => {
    entered = true
  })
  await nextTurn()
  t.false(entered)
})
