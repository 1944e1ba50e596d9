import test from 'ava'
import { JobBudget } from '../../../../../../src/daemon/operations/repair/run/run-repair.js'

test('a job stops at its limit of rows, bytes, work units or milliseconds (operations.md 5.3)', t => {
  const rows = new JobBudget({ rows: 3, bytes: 1000 })
  t.deepEqual(
    [1, 2, 3, 4].map(() => rows.take()),
    [true, true, true, false],
  )
  const bytes = new JobBudget({ rows: 50, bytes: 10 })
  t.true(bytes.take({ bytes: 6 }))
  t.false(bytes.take({ bytes: 6 }))
  t.true(bytes.take({ bytes: 4 }))
  t.true(bytes.isTooLarge(11))
  const units = new JobBudget({ rows: 1000, bytes: 1000 })
  const taken = Array.from({ length: 60 }, () => units.take({ units: 2 })).filter(Boolean)
  t.is(taken.length, 50)
  let now = 0
  const late = new JobBudget({ rows: 50, bytes: 10 }, () => now)
  t.true(late.take())
  now = 2000
  t.true(late.isSpent)
  t.false(late.take())
})
