import test from 'ava'
import { beginningOf, withoutSecrets } from '../../../../src/lib/text/without-secrets.js'

for (const [what, text, secret] of [
  ['an API key', 'use sk-abcdefghijklmnop1234 for it', 'sk-abcdefghijklmnop1234'],
  ['a key of this service', `svc_sk_${'a'.repeat(32)}`, 'a'.repeat(32)],
  ['a GitHub token', `push with ghp_${'x1'.repeat(18)}`, 'ghp_'],
  ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['a JWT', 'eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK', 'SflKxwRJSMeK'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
  ['a truncated private key', '-----BEGIN PRIVATE KEY-----\nMIIEow', 'MIIEow'],
  ['a password in an address', 'postgres://app:hunter2@db/x', 'hunter2'],
  ['a bearer token', 'Authorization: Bearer abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['an assigned password', 'DB_PASSWORD=correcthorse', 'correcthorse'],
  ['basic credentials', 'curl -H "Authorization: Basic YXBwOmh1bnRlcg=="', 'YXBwOmh1bnRlcg'],
  ['an exported variable', 'export TOKEN=correcthorsebattery; ./ship', 'correcthorse'],
  ['a variable before a command', "STRIPE_KEY_LIVE='correcthorse' npm start", 'correcthorse'],
  ['a password as an argument', 'vault login --password correcthorse', 'correcthorse'],
  ['a password without a user', 'redis://:hunter2@db/0', 'hunter2'],
  ['a password in JSON in JSON', '{\\"password\\":\\"correcthorse\\"}', 'correcthorse'],
  [
    'a private key without an end',
    `-----BEGIN PRIVATE KEY-----\nMIIEow\n$ ls\n${'a b.'.repeat(5000)}`,
    'MIIEow',
  ],
  ['a spoken password', 'the password is tr0ub4dor', 'tr0ub4dor'],
] as const)
  test(`${what} is removed`, t => {
    const clean = withoutSecrets(text)
    t.false(clean.includes(secret))
    t.true(clean.includes('[secret]'))
  })

test('texts about secrets are kept', t => {
  for (const text of [
    'the password is stored in the vault',
    'max tokens: 400000',
    'the token expires after a week',
    'secrets belong into .secrets/',
    'see https://example.org:8080/path@v1',
    'export TOKEN=$(cat .token) API_KEY=$KEY SSH_KEY=/home/ann/.ssh/id',
    'git log --token-limit 4000',
  ])
    t.is(withoutSecrets(text), text)
})

test('a shortened text contains no part of a credential, however long it was', t => {
  const key = `sk-${'a'.repeat(40)}`
  const told = withoutSecrets(beginningOf(`${'x'.repeat(90)} ${key} ${'y'.repeat(10_000)}`, 99))
  t.is(told.slice(0, 99), `${'x'.repeat(90)} [secret]`)
  t.true(told.length < 1000)
})
