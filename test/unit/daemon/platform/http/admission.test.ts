import test from 'ava'
import { createAdmission } from '../../../../../src/daemon/platform/http/admission.js'

test('a place is released once, however often its owner leaves', t => {
  const admission = createAdmission(2)
  const leave = admission.enter()
  t.truthy(admission.enter())
  t.is(admission.enter(), undefined)
  leave?.()
  leave?.()
  t.truthy(admission.enter())
  t.is(admission.enter(), undefined)
})
