import test from 'ava'
import { Dictionary } from '../../../../../src/store/index/words/dictionary.js'

test('words of a snapshot become searchable in steps of 10,000, unused ones do not', async t => {
  const count = 25_000
  const written = new Dictionary()
  for (let number = 1; number <= count; number++) written.retain(`word ${number}`)
  const read = new Dictionary()
  read.strings.seed = written.strings.seed
  read.restore(1, written.stored(1, count + 1))
  const inUse = Array.from({ length: count }, (_, i) => i + 1).filter(number => number % 5 !== 0)
  for (const number of inUse) read.reuse(number, 1)
  const sizes = [0]
  await read.reclaim({
    breathe() {
      sizes.push(read.size)
      return undefined
    },
  })
  sizes.push(read.size)
  t.is(read.size, inUse.length)
  t.true(sizes.slice(1).every((size, i) => size - sizes[i]! <= 10_000))
  t.is(read.get('word 24999'), 24_999)
  t.is(read.get('word 25000'), 0)
  // New words reuse their numbers.
  t.is(read.retain('new') % 5, 0)
})
