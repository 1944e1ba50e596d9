import test from 'ava'
import {
  newRecoveryCode,
  recoveryCodeOf,
  seedOfRecoveryCode,
} from '../../../../src/lib/keys/recovery-code.js'
import { ageIdentityOf, keyFor, keyOfRecoveryCode } from '../../../../src/lib/keys/workspace-key.js'

test('a recovery code is read as people type it, and gives the same key each time', t => {
  const code = newRecoveryCode()
  t.regex(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/u)
  const key = keyOfRecoveryCode(code)
  const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  t.deepEqual(keyOfRecoveryCode(typed), key)
  for (const seed of [
    Buffer.alloc(16),
    Buffer.alloc(16, 255),
    Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
  ])
    t.deepEqual(seedOfRecoveryCode(recoveryCodeOf(seed)), seed)
})

test('the keys of a code never change, or old backups would be lost', t => {
  const key = keyOfRecoveryCode(recoveryCodeOf(Buffer.from('00112233445566778899aabbccddeeff', 'hex')))!
  t.is(
    recoveryCodeOf(Buffer.from('00112233445566778899aabbccddeeff', 'hex')),
    '008J-4CT4-ANK7-F24S-NAXW-SQFE-ZW13',
  )
  t.is(ageIdentityOf(key), 'AGE-SECRET-KEY-13PKVM2AZQUP5NJV2GPGPFJFY3QWLCVUEV27JX69PGHKK0Q5U8VDQEJ9RFQ')
  t.is(
    keyFor('sync', key).toString('hex'),
    '9d8c1016068678da6468920d0231257240fa2649c097cff83c603ba8b3d920c4',
  )
})

test('nearly every wrong character and every swap of neighbours in a recovery code is noticed', t => {
  const code = recoveryCodeOf(Buffer.from('00112233445566778899aabbccddeeff', 'hex')).replaceAll('-', '')
  let wrong = 0
  let missed = 0
  for (let at = 0; at < code.length; at++)
    for (const digit of '0123456789ABCDEFGHJKMNPQRSTVWXYZ') {
      if (digit === code[at]) continue
      wrong++
      if (seedOfRecoveryCode(code.slice(0, at) + digit + code.slice(at + 1))) missed++
    }
  t.true(missed <= 2, `${missed} of ${wrong}`)
  for (let at = 1; at < code.length; at++)
    if (code[at] !== code[at - 1])
      t.is(
        seedOfRecoveryCode(code.slice(0, at - 1) + code[at]! + code[at - 1]! + code.slice(at + 1)),
        undefined,
      )
  for (const text of ['', code.slice(1), `${code}0`, code.replace(/.$/u, 'U'), 'x'.repeat(1000)])
    t.is(keyOfRecoveryCode(text), undefined)
})
