import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { cliWorkspace, environmentOf, registeredPid, runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'run.js')

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
  t.deepEqual(await completeInBash(t, stdout, ['da']), ['daemon'])
  t.deepEqual(await completeInBash(t, stdout, ['daemon', 'st']), ['start', 'status', 'stop'])
  t.deepEqual(await completeInBash(t, stdout, ['recall', '--type', 'pr']), ['preference', 'procedural'])
  t.deepEqual(await completeInBash(t, stdout, ['daemon', 'logs', '--fo']), ['--follow'])
  t.deepEqual(await completeInBash(t, stdout, ['remember', '--hin']), ['--hint'])
  t.deepEqual(await completeInBash(t, stdout, ['completion', 'f']), ['fish'])
  t.deepEqual(await completeInBash(t, stdout, ['connect', 'cl']), [
    'claude-code',
    'claude',
    'cline',
    'claude-desktop',
  ])
  const here = join(cliWorkspace(t), 'completion.ba')
  t.deepEqual(await completeInBash(t, stdout, ['status', '--workspace', here]), [`${here}sh`])
})

test('bash completes names of this workspace: projects, tags, ids, settings, entities', async t => {
  const { stdout } = await runCli(t, ['completion', 'bash'])
  await runHere(t, ['remember', 'Ann Keller owns the kiln', '--tags', 'pottery', '--project', 'bakery'])
  const [{ id }] = (await runHere(t, ['list', '--all-projects', '--json'])).json().items
  t.deepEqual(await completeInBash(t, stdout, ['list', '--project', 'ba']), ['bakery'])
  t.deepEqual(await completeInBash(t, stdout, ['recall', '-t', 'po']), ['pottery'])
  const end = id.slice(-8)
  t.deepEqual(await completeInBash(t, stdout, ['forget', end.slice(0, 3)]), [end])
  t.deepEqual(await completeInBash(t, stdout, ['config', 'get', 'daemon.po']), ['daemon.port'])
  await runHere(t, ['dream', 'run', '--wait'])
  t.deepEqual(await completeInBash(t, stdout, ['about', 'Ann']), ['Ann\\ Keller'])
})

test('a completion starts no daemon and prints no error', async t => {
  const { code, stdout, stderr } = await runCli(t, ['complete', 'tags'])
  t.deepEqual([code, stdout, stderr], [0, '', ''])
  t.is(registeredPid(cliWorkspace(t)), undefined)
})

test('an unknown shell is refused with a list of shells', async t => {
  const { code, stderr } = await runCli(t, ['completion', 'tcsh'])
  t.is(code, 2)
  t.regex(stderr, /bash, zsh, fish, powershell/)
})

async function completeInBash(t: ExecutionContext, script: string, words: string[]): Promise<string[]> {
  const file = join(cliWorkspace(t), 'completion.bash')
  writeFileSync(file, script)
  const memory = `memory() { '${process.execPath}' '${bin}' "$@"; }`
  const program = `${memory}; source "$1"; shift; COMP_WORDS=(memory "$@"); COMP_CWORD=$#; _memory; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await execa('bash', ['-c', program, 'bash', file, ...words], {
    env: environmentOf(t),
    extendEnv: false,
  })
  return stdout.split('\n').filter(Boolean)
}
