import test from 'ava'
import { beginningOf, withoutSecrets } from '../../../../src/lib/text/without-secrets.js'

for (const [what, text, secret] of [
  ['an API key', 'use sk-abcdefghijklmnop1234 for it', 'sk-abcdefghijklmnop1234'],
  ['a key of this service', `svc_sk_${'a'.repeat(32)}`, 'a'.repeat(32)],
  ['a GitHub token', `push with ghp_${'x1'.repeat(18)}`, 'ghp_'],
  ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['a JWT', 'eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK', 'SflKxwRJSMeK'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
  ['a private key that was cut off', '-----BEGIN PRIVATE KEY-----\nMIIEow', 'MIIEow'],
  ['a password in an address', 'postgres://app:hunter2@db/x', 'hunter2'],
  ['a bearer token', 'Authorization: Bearer abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['an assigned password', 'DB_PASSWORD=correcthorse', 'correcthorse'],
  ['a spoken password', 'the password is tr0ub4dor', 'tr0ub4dor'],
] as const)
  test(`${what} is left out`, t => {
    const clean = withoutSecrets(text)
    t.false(clean.includes(secret))
    t.true(clean.includes('[secret]'))
  })

test('talk about secrets stays', t => {
  for (const text of [
    'the password is stored in the vault',
    'max tokens: 400000',
    'the token expires after a week',
    'secrets belong into .secrets/',
    'see https://example.org:8080/path@v1',
  ])
    t.is(withoutSecrets(text), text)
})

test('a beginning holds no half of a credential, however long the text goes on', t => {
  const key = `sk-${'a'.repeat(40)}`
  const told = withoutSecrets(beginningOf(`${'x'.repeat(90)} ${key} ${'y'.repeat(10_000)}`, 99))
  t.is(told.slice(0, 99), `${'x'.repeat(90)} [secret]`)
  t.true(told.length < 1000)
})
