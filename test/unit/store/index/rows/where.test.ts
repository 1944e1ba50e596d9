import test from 'ava'
import fc from 'fast-check'
import { addMarks, clearMarks, countMarks } from '../../../../../src/store/index/rows/where.js'

const pairs = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 40 })

/** The code compares four rows at a time and then the remaining ones. */
test('marks of any number of rows are joined, cleared and counted correctly', t => {
  fc.assert(
    fc.property(pairs, both => {
      const marks = () => Uint8Array.from(both, ([ours]) => Number(ours))
      const others = Uint8Array.from(both, ([, theirs]) => Number(theirs))
      const [added, cleared] = [marks(), marks()]
      addMarks(added, others)
      clearMarks(cleared, others)
      t.deepEqual([...added], [...both.map(([ours, theirs]) => Number(ours || theirs))])
      t.deepEqual([...cleared], [...both.map(([ours, theirs]) => Number(ours && !theirs))])
      t.is(countMarks(added), both.filter(([ours, theirs]) => ours || theirs).length)
    }),
  )
})
