import test from 'ava'
import { memoize } from '../../../../src/lib/concurrency/lazy.js'

test('a result is cached for each text, up to a thousand texts', t => {
  const asked: string[] = []
  const lengthOf = memoize(text => {
    asked.push(text)
    return text.length
  })
  t.deepEqual([lengthOf(''), lengthOf('four'), lengthOf('four')], [0, 4, 4])
  t.deepEqual(asked, ['', 'four'])
  for (let i = 0; i < 1000; i++) lengthOf(`other ${i}`)
  t.is(lengthOf('four'), 4)
  t.is(asked.filter(text => text === 'four').length, 2)
})
