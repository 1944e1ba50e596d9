import test from 'ava'
import { validate, version } from 'uuid'
import { timeOrderedIds } from '../../../../src/lib/time/time-ordered-ids.js'

test('ids have version 7, begin with the time, and always increase', t => {
  let now = 1_700_000_000_000
  const newId = timeOrderedIds(() => now)
  const ids: string[] = []
  for (let n = 0; n < 2000; n++) {
    // The order holds while the clock does not advance, and after it is set back.
    if (n === 700) now -= 5000
    if (n === 1400) now += 60_000
    ids.push(newId())
  }
  t.true(ids.every(id => validate(id) && version(id) === 7))
  t.is(new Set(ids).size, ids.length)
  t.deepEqual([...ids].sort(), ids)
  t.is(Number.parseInt((ids[0] as string).replace(/-/g, '').slice(0, 12), 16), 1_700_000_000_000)
  t.is(Number.parseInt((ids.at(-1) as string).replace(/-/g, '').slice(0, 12), 16), now)
})
