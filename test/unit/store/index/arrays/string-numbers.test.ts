import test from 'ava'
import fc from 'fast-check'
import { StringNumbers } from '../../../../../src/store/index/arrays/string-numbers.js'

test('strings have the same numbers as in a map, after any changes and a snapshot', t => {
  const text = fc.integer({ min: 0, max: 60 }).map(number => `text ${number % 7} ${number}`)
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constant('set' as const), text) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), text) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 0, max: 300 }), (steps, restart) => {
      let strings = new StringNumbers()
      const model = new Map<string, number>()
      for (const [place, [action, text]] of steps.entries()) {
        if (place === restart) strings = restored(strings, model.values())
        if (action === 'delete') {
          strings.delete(text)
          model.delete(text)
        } else if (!model.has(text)) {
          model.set(text, strings.last + 1)
          strings.set(text, strings.last + 1)
        }
        t.is(strings.get(text), model.get(text))
      }
      t.is(strings.size, model.size)
      for (const [text, number] of model) {
        t.is(strings.get(text), number)
        t.is(strings.text(number), text)
      }
    }),
  )
})

test('a number without a string throws', t => {
  const strings = new StringNumbers()
  strings.set('one', 1)
  t.throws(() => strings.text(2), { instanceOf: RangeError })
})

/** Copies strings like a snapshot does, in parts of seven. */
function restored(strings: StringNumbers, inUse: Iterable<number>): StringNumbers {
  const copy = new StringNumbers()
  copy.seed = strings.seed
  for (let from = 1; from <= strings.last; from += 7) {
    const count = Math.min(7, strings.last + 1 - from)
    copy.restore(from, strings.stored(Uint32Array.from({ length: count }, (_, i) => from + i)))
  }
  for (const number of inUse) copy.enlist(number)
  return copy
}
