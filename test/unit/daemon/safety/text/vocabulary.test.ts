import test from 'ava'
import fc from 'fast-check'
import { Vocabulary } from '../../../../../src/daemon/safety/text/vocabulary.js'

test('a word keeps its number', t => {
  const vocabulary = new Vocabulary()
  t.is(vocabulary.add('curl'), 0)
  t.is(vocabulary.add('sh'), 1)
  t.is(vocabulary.add('curl'), 0)
})

test('expensive words are added before the first search, and once', t => {
  const vocabulary = new Vocabulary()
  const added: number[] = []
  vocabulary.expect(() => added.push(vocabulary.add('curl')))
  t.deepEqual(added, [])
  t.deepEqual(vocabulary.passagesWith('use curl', 8), { words: [0], passages: [1] })
  t.deepEqual(vocabulary.passagesWith('no', 8), { words: [], passages: [] })
  t.deepEqual(added, [0])
})

test('expected words can be added in steps by several callers', t => {
  const vocabulary = new Vocabulary()
  const added: number[] = []
  for (const word of ['curl', 'wget', 'bash']) vocabulary.expect(() => added.push(vocabulary.add(word)))
  const one = vocabulary.complete()
  const other = vocabulary.complete()
  one.next()
  other.next()
  t.deepEqual(added, [0, 1])
  one.next()
  t.true(one.next().done)
  t.true(other.next().done)
  t.deepEqual(added, [0, 1, 2])
})

test('words of a text are found in the passages where they begin', t => {
  const words = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é'), minLength: 2, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é'), maxLength: 60 })
  t.notThrows(() =>
    fc.assert(
      fc.property(words, text, (list, read) => {
        const vocabulary = new Vocabulary()
        const numbers = list.map(word => vocabulary.add(word))
        const found = vocabulary.passagesWith(read, 8)
        return list.every((word, place) => {
          let passages = 0
          for (let at = read.indexOf(word); at >= 0; at = read.indexOf(word, at + 1))
            passages |= 1 << (at >> 3)
          const where = found.words.indexOf(numbers[place] as number)
          return (where < 0 ? 0 : found.passages[where]) === passages
        })
      }),
    ),
  )
})
