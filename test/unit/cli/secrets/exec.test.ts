// runs: in turn

import { execFileSync } from 'node:child_process'
import test from 'ava'
import fc from 'fast-check'
import { readCommandLine } from '../../../../src/cli/secrets/exec.js'

test('each name becomes a variable that refers to the given reference or to itself (secret-commands.md 6)', t => {
  const { secrets } = readCommandLine(['API_KEY', 'KEY=local://OTHER', 'A=vaultb://v/i/f=1'], ['true'])
  t.deepEqual(secrets, { API_KEY: 'API_KEY', KEY: 'local://OTHER', A: 'vaultb://v/i/f=1' })
})

test('a single argument is passed to the shell unchanged (secret-commands.md 6)', t => {
  t.is(readCommandLine(['A'], ['echo "$A" | wc -c']).command, 'echo "$A" | wc -c')
})

test('several arguments reach a program unchanged (secret-commands.md 6)', t => {
  if (process.platform === 'win32') return void t.pass()
  const words = fc.array(
    fc.string({ unit: 'binary' }).map(word => word.replaceAll('\0', '')),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
  fc.assert(
    fc.property(words, given => {
      const { command } = readCommandLine(['A'], [process.execPath, '-e', print, '--', ...given], 'linux')
      const printed = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
      t.deepEqual(JSON.parse(printed), given)
    }),
    { numRuns: 20 },
  )
})

test('arguments are quoted for cmd.exe (secret-commands.md 6)', t => {
  const { command } = readCommandLine(['A'], ['tool', 'a b', 'say "no"', 'C:\\x\\', '50%'], 'win32')
  t.is(command, 'tool ^"a b^" ^"say \\^"no\\^"^" C:\\x\\ ^"50^%^"')
})

for (const [what, names, words] of [
  ['no name', [], ['true']],
  ['no command', ['hunter2'], []],
] as const)
  test(`a command line with ${what} is refused, and the error repeats no argument (secret-commands.md 6)`, t => {
    const error = t.throws(() => readCommandLine(names, words))
    t.notRegex(error?.message ?? '', /hunter2/)
  })
