import test from 'ava'
import {
  hashPassword,
  passwordHashPattern,
  verifyPassword,
} from '../../../../src/lib/workspace/password-hash.js'

test('a hash verifies its own password only (security.md 5.3)', async t => {
  const hash = await hashPassword('open sesame')
  t.regex(hash, passwordHashPattern)
  t.true(await verifyPassword('open sesame', hash))
  t.false(await verifyPassword('open sesame ', hash))
  t.not(await hashPassword('open sesame'), hash)
})

test('a hash made elsewhere is accepted, even with padded base64', async t => {
  // Computed with hashlib.pbkdf2_hmac('sha256', b'open sesame', b'saltsaltsaltsalt', 1000).
  const known = 'pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA==$GDAYJJtfElk+xpdigX69OXyhgz3//WebdzIiNpVdWzI='
  t.true(await verifyPassword('open sesame', known))
  t.false(await verifyPassword('open', known))
  t.false(await verifyPassword('open sesame', 'no hash'))
})
