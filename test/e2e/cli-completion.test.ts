import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'

/** Installed shells check the syntax of their script; the scripts of others are only compared as text. */
const syntaxChecks = { bash: ['bash', '-n'], zsh: ['zsh', '-n'], fish: ['fish', '--no-execute'] } as const

for (const [shell, [program, flag]] of Object.entries(syntaxChecks)) {
  test(`the ${shell} script is valid and knows commands, flags and values`, async t => {
    const { code, stdout } = await runCli(t, ['completion', shell])
    t.is(code, 0)
    for (const word of ['daemon', 'restart', 'workspace', 'preference', 'powershell'])
      t.true(stdout.includes(word))
    const file = join(cliWorkspace(t), `completion.${shell}`)
    writeFileSync(file, stdout)
    const check = spawnSync(program, [flag, file], { encoding: 'utf8' })
    if (check.error) t.log(`${program} is not on this machine`)
    else t.is(check.status, 0, check.stderr)
  })
}

test('the powershell script knows commands, flags and values', async t => {
  const { stdout } = await runCli(t, ['completion', 'powershell'])
  t.regex(stdout, /^Register-ArgumentCompleter -Native -CommandName 'memory'/m)
  t.regex(stdout, /'recall\|--type' \{ 'fact', 'preference'/)
  t.regex(stdout, /'daemon' \{ 'install\|[^}]*'logs\|/)
})

test('bash completes words, flags, values and files', async t => {
  const { stdout } = await runCli(t, ['completion', 'bash'])
  t.deepEqual(completeInBash(t, stdout, ['da']), ['daemon'])
  t.deepEqual(completeInBash(t, stdout, ['daemon', 'st']), ['start', 'status', 'stop'])
  t.deepEqual(completeInBash(t, stdout, ['recall', '--type', 'pr']), ['preference', 'procedural'])
  t.deepEqual(completeInBash(t, stdout, ['daemon', 'logs', '--fo']), ['--follow'])
  t.deepEqual(completeInBash(t, stdout, ['remember', '--hin']), ['--hint'])
  t.deepEqual(completeInBash(t, stdout, ['completion', 'f']), ['fish'])
  t.deepEqual(completeInBash(t, stdout, ['connect', 'cl']), ['claude-code', 'claude'])
  const here = join(cliWorkspace(t), 'completion.ba')
  t.deepEqual(completeInBash(t, stdout, ['status', '--workspace', here]), [`${here}sh`])
})

test('an unknown shell is refused with a list of shells', async t => {
  const { code, stderr } = await runCli(t, ['completion', 'tcsh'])
  t.is(code, 2)
  t.regex(stderr, /bash, zsh, fish, powershell/)
})

function completeInBash(t: ExecutionContext, script: string, words: string[]): string[] {
  const file = join(cliWorkspace(t), 'completion.bash')
  writeFileSync(file, script)
  const program = `source "$1"; shift; COMP_WORDS=(memory "$@"); COMP_CWORD=$#; _memory; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = spawnSync('bash', ['-c', program, 'bash', file, ...words], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean)
}
