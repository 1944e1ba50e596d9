import test from 'ava'
import {
  maskedSettings,
  unmaskedSettings,
} from '../../../../../src/daemon/operations/settings/masked-text.js'
import { mayChangeAuth } from '../../../../../src/daemon/operations/settings/routes.js'
import { settingsTemplate } from '../../../../../src/lib/workspace/settings-template.js'

test('settings without credentials are shown unchanged, references included (operations.md 7.1)', t => {
  t.is(maskedSettings(settingsTemplate), settingsTemplate)
  const mine =
    'inference:\n  apiKey: env:KEY_1\nembedding: { apiKey: my_key }\nmemory: {synthesis: {max_tokens: 3}}\n'
  t.is(maskedSettings(mine), mine)
})

for (const [what, text, secret] of [
  ['a key in place of its reference', 'inference:\n  apiKey: AbCd0123456789AbCd0123456789\n', 'AbCd'],
  ['a value with an alias', 'x: &a swordfish\ny: {password: *a}\n', 'swordfish'],
  ['a list', 'tokens: [swordfish, herring]\n', 'herring'],
  ['a block of lines', 'secret: |\n  swordfish\n  herring\nx: 1\n', 'herring'],
  ['a number', 'password: 12345\n', '12345'],
  ['a value hidden by escapes', 'x: "sk-abcdefghijklmnop\\x31\\x32"\n', 'abcdefgh'],
  ['a user name in an address', 'x: https://swordfish@example.org\n', 'swordfish'],
  ['a parameter in an address', 'x: https://example.org?a=1&token=swordfish\n', 'swordfish'],
] as const)
  test(`${what} is masked, and kept when saved unchanged (operations.md 7.1)`, t => {
    const shown = maskedSettings(text)
    t.false(shown.includes(secret), shown)
    t.true(shown.includes('(masked)'))
    if (!text.includes('&a')) t.deepEqual(unmaskedSettings(shown, text), { text, problems: [] })
  })

test('invalid YAML is masked line by line, and its masks cannot be restored (operations.md 7.1)', t => {
  const text = 'a: [1\nlogin:\n  passwordHash: swordfish\n  "apiKey": herring\nname: me\n'
  t.is(maskedSettings(text), 'a: [1\nlogin:\n  passwordHash: (masked)\n  "apiKey": (masked)\nname: me\n')
  t.is(unmaskedSettings('passwordHash: (masked)\n', text).problems.length, 1)
})

test('a mask cannot be moved to where its value would be shown or sent (operations.md 7.1)', t => {
  const text = 'a:\n  secret: swordfish\n  url: https://me:swordfish@example.org/\n# token: swordfish1\n'
  const shown = maskedSettings(text)
  for (const moved of [
    shown.replace('  secret:', '  name:'),
    `${shown.replace('secret: (masked)', 'secret: &x (masked)')}b: *x\n`,
    shown.replace('example.org', 'example.com'),
    shown.replace('# token: (masked)', 'b: |\n  # token: (masked)'),
    `${shown}# token: (masked)\n`,
    shown.replace('a:', 'b:'),
  ]) {
    const { text: kept, problems } = unmaskedSettings(moved, text)
    t.true(problems.length > 0, moved)
    t.regex(kept, /\(masked\)/u)
  }
  t.deepEqual(unmaskedSettings('a:\n  url: https://me:mine@example.com\n', text).problems, [])
})

test('auth settings may be changed only from this machine in local mode (operations.md 7.2)', t => {
  const peer = '127.0.0.1'
  t.true(mayChangeAuth('local', { peer }))
  t.true(mayChangeAuth('local', { peer: '::1' }))
  for (const elsewhere of [{ peer: '192.168.1.4' }, { peer: undefined }, { peer, forwarded: true }])
    t.false(mayChangeAuth('local', elsewhere))
  for (const mode of ['team', 'hybrid'] as const) t.false(mayChangeAuth(mode, { peer }))
})
