import test from 'ava'
import { isOutsideProfile } from '../../../../src/lib/files/own-umask.js'

test('the profile folder of Windows protects its own files only', t => {
  const user = { USERPROFILE: 'C:\\Users\\ada' }
  t.false(isOutsideProfile('C:\\Users\\ada\\.memory-service', user))
  t.false(isOutsideProfile('c:\\users\\ADA\\..memory', user))
  t.true(isOutsideProfile('C:\\Users\\adam\\.memory-service', user))
  t.true(isOutsideProfile('D:\\memory', user))
  t.true(isOutsideProfile('C:\\memory', user))
  t.false(isOutsideProfile('D:\\memory', {}))
})
