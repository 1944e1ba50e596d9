import test from 'ava'
import { fits, reservationFor } from '../../../../../src/daemon/knowledge/imports/uploads/admission.js'

const mib = 1024 * 1024

test('a file needs three times its size and 64 MiB, and leaves a GiB for others', t => {
  const size = 100 * mib
  t.is(reservationFor(size), 364 * mib)
  const needed = (364 + 1024) * mib
  t.true(fits({ size, free: needed, reserved: 0 }))
  t.false(fits({ size, free: needed - 1, reserved: 0 }))
  t.false(fits({ size, free: needed, reserved: 1 }), 'what others set aside is not free')
  t.true(fits({ size, free: needed + 5 * mib, reserved: 5 * mib }))
})
