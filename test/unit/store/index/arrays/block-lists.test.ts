import test from 'ava'
import fc from 'fast-check'
import { BlockLists } from '../../../../../src/store/index/arrays/block-lists.js'

const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b)

test('empty lists use no memory and survive a snapshot', t => {
  const lists = new BlockLists()
  t.is(lists.chunks, 0)
  const words = lists.takeChunks(0, 16)
  const restored = new BlockLists()
  new Uint8Array(restored.restoreChunks(0, words.byteLength / 4).buffer).set(words)
  restored.append(3, 7)
  t.deepEqual([...restored.values(3)], [7])
  t.is(restored.chunks, 1)
})

test('lists equal arrays after any appends, removals and clears', t => {
  const list = fc.integer({ min: 0, max: 5 })
  const value = fc.integer({ min: 0, max: 30 })
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('append' as const), list, value) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('remove' as const), list, value) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('clear' as const), list, value) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('remove marked' as const), list, value) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), steps => {
      const lists = new BlockLists()
      const model = Array.from({ length: 6 }, () => new Set<number>())
      for (const [action, number, value] of steps) {
        const set = model[number]!
        if (action === 'append' && !set.has(value)) {
          lists.append(number, (value << 8) | 7)
          set.add(value)
        } else if (action === 'remove') {
          t.is(lists.remove(number, value, 8), set.delete(value) ? (value << 8) | 7 : undefined)
        } else if (action === 'remove marked') {
          const marks = Uint8Array.from({ length: 31 }, (_, each) => Number(each % 4 === value % 4))
          lists.removeMarked(number, marks, 8)
          for (const each of set) if (marks[each] === 1) set.delete(each)
        } else if (action === 'clear') {
          lists.clear(number)
          set.clear()
        }
      }
      for (const [number, set] of model.entries()) {
        t.is(lists.size(number), set.size)
        t.deepEqual(
          sorted(lists.values(number)),
          sorted(set).map(value => (value << 8) | 7),
        )
      }
    }),
  )
})

test('long lists span chunks, keep every entry and free their memory', t => {
  const lists = new BlockLists()
  const count = 200_000
  for (let i = 0; i < count; i++) lists.append(i % 3, i)
  const full = lists.bytes
  t.deepEqual(sorted(lists.values(1)).slice(0, 3), [1, 4, 7])
  t.is(lists.size(0) + lists.size(1) + lists.size(2), count)
  for (const list of [0, 1, 2]) lists.clear(list)
  for (let i = 0; i < count; i++) lists.append(i % 3, i)
  t.is(lists.bytes, full)
})

test('a list filled at once equals one filled by appending', t => {
  for (const count of [0, 1, 2, 3, 100, 1022, 1023, 5000]) {
    const values = Uint32Array.from({ length: count }, (_, i) => i)
    const lists = new BlockLists()
    lists.assign(1, values)
    t.deepEqual(lists.values(1), values)
    lists.append(1, 77)
    t.is(lists.size(1), count + 1)
  }
})
