import test from 'ava'
import {
  hasRoom,
  reservationFor,
} from '../../../../../src/daemon/knowledge/transcript-import/uploads/admission.js'

const mib = 1024 * 1024

test('a file reserves three times its size plus 64 MiB, and 1 GiB stays free', t => {
  const needed = reservationFor(100 * mib)
  t.is(needed, 364 * mib)
  const free = needed + 1024 * mib
  t.true(hasRoom({ needed, free, reserved: 0 }))
  t.false(hasRoom({ needed, free: free - 1, reserved: 0 }))
  t.false(hasRoom({ needed, free, reserved: 1 }), 'what others set aside is not free')
  t.true(hasRoom({ needed, free: free + 5 * mib, reserved: 5 * mib }))
})

test('the files of an import share the 64 MiB, because they are processed one by one', t => {
  t.is(reservationFor(10 * mib, { size: 100 * mib, reserved: 364 * mib }), 30 * mib)
  t.is(reservationFor(10 * mib, { size: 20 * mib, reserved: 60 * mib }), 94 * mib, 'who held them was reset')
})
