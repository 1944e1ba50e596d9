import test from 'ava'
import fc from 'fast-check'
import { MergeFault } from '../../../../../../src/cli/sessions/connect/entries/merge-fault.js'
import { isOwnHook } from '../../../../../../src/cli/sessions/connect/entries/own-entries.js'
import {
  addTomlHooks,
  removeTomlHooks,
  type TomlHook,
} from '../../../../../../src/cli/sessions/connect/entries/toml-entries.js'

const isOwn = (hook: unknown) => isOwnHook(hook, 'kimi')
const hook = (event: string, timeout = 7): TomlHook => ({
  event,
  command: `memory hook ${event} -H kimi`,
  timeout,
})
const wanted = [hook('SessionStart', 10), hook('Stop')]

const users = `# mine
model = "kimi-k2" # fast

[[hooks]]
event = "Stop"
command = "say done"

[mcp]
client = { timeout = 3 }`

test('hooks are appended as tables, and every byte before them is kept', t => {
  const text = addTomlHooks(users, wanted, isOwn)
  t.true(text.startsWith(`${users}\n\n[[hooks]]\nevent = "SessionStart"\n`))
  t.true(text.endsWith('[[hooks]]\nevent = "Stop"\ncommand = "memory hook Stop -H kimi"\ntimeout = 7\n'))
  t.is(addTomlHooks(text, wanted, isOwn), text)
  t.is(removeTomlHooks(text, isOwn, users), users)
})

test('outdated hooks are replaced, others stay', t => {
  const old = addTomlHooks(users, [hook('SessionStart', 3)], isOwn)
  const text = addTomlHooks(`${old}\n[tui]\ndark = true\n`, wanted, isOwn)
  t.is(text.split('SessionStart').length, 3)
  t.true(text.includes('[tui]\ndark = true\n'))
  t.true(text.includes('command = "say done"'))
  t.false(removeTomlHooks(text, isOwn).includes('-H kimi'))
})

test('an empty file, and one with Windows line ends', t => {
  const made = addTomlHooks('', wanted, isOwn)
  t.true(made.startsWith('[[hooks]]\n'))
  t.is(removeTomlHooks(made, isOwn), '')
  const text = addTomlHooks('a = 1\r\n', wanted, isOwn)
  t.true(text.startsWith('a = 1\r\n\r\n[[hooks]]\r\nevent'))
  t.is(removeTomlHooks(text, isOwn), 'a = 1\r\n')
})

test('hooks that are written inline, and a file that does not parse, are refused', t => {
  t.throws(() => addTomlHooks('hooks = []\n', wanted, isOwn), { instanceOf: MergeFault })
  t.throws(() => addTomlHooks('a = \n', wanted, isOwn), { instanceOf: MergeFault, message: /is not TOML/ })
  const inline = `hooks = [{ event = "Stop", command = "memory hook Stop -H kimi" }]\n`
  t.throws(() => removeTomlHooks(inline, isOwn), { instanceOf: MergeFault })
})

test('adding and removing restores any file of tables', t => {
  const blocks = fc.array(
    fc.constantFrom(
      'a = 1\n',
      '# note\n',
      '\n',
      '[[hooks]]\nevent = "Stop"\ncommand = "x"\n',
      '[b]\n',
      '[[c]]\n',
    ),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(blocks, parts => {
      const seen = new Set<string>()
      const text = parts
        .filter(part => !/^(?:a|\[b)/u.test(part) || (!seen.has(part) && seen.add(part)))
        .join('')
      t.is(removeTomlHooks(addTomlHooks(text, wanted, isOwn), isOwn, text), text)
    }),
    { numRuns: 300 },
  )
})
