// runs: in turn

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isAlive } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, registeredPid, runCli, startCli, until } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

const value = 'correct-horse-battery-staple'

/** True once the command has created its file and the daemon has recorded its process. */
function runs(workspace: string, started: string): boolean {
  return existsSync(started) && notedIn(workspace).length === 1
}

/** Recorded processes, which the next daemon would kill. */
function notedIn(workspace: string): string[] {
  const folder = join(workspace, '.daemon', 'children')
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter(name => statSync(join(folder, name)).size > 0)
}

/** Creates a workspace with a secret. */
async function withSecret(t: ExecutionContext, run = runHere): Promise<void> {
  t.is((await run(t, ['secrets', 'set', 'API_KEY'], { stdin: value })).code, 0)
}

test('secrets exec prints the output without the value, and returns the command’s exit code (secret-commands.md 6)', async t => {
  await withSecret(t)
  const line = 'echo "key $API_KEY"; echo "also $API_KEY" >&2; exit 7'
  const { code, stdout, stderr } = await runHere(t, ['secrets', 'exec', 'API_KEY', '--', line])
  t.is(code, 7)
  t.is(stdout, 'key [REDACTED]')
  t.is(stderr, 'also [REDACTED]')
})

test('secrets exec runs in the current folder, and passes arguments unchanged (secret-commands.md 6)', async t => {
  await withSecret(t)
  const folder = realpathSync(cliWorkspace(t))
  const here = await runHere(t, ['secrets', 'exec', 'K=API_KEY', '--', 'pwd', '-P'], { folder })
  t.is(here.stdout, folder)
  const there = await runHere(t, ['secrets', 'exec', 'API_KEY', '--cwd', '/', '--', 'pwd', '-P'])
  t.is(there.stdout, '/')
  const words = await runHere(t, [
    'secrets',
    'exec',
    'API_KEY',
    '--',
    'printf',
    '<%s>',
    "it's $HOME",
    '--json',
  ])
  t.is(words.stdout, "<it's $HOME><--json>")
})

test('secrets exec exits with 124 on a timeout (secret-commands.md 6)', async t => {
  await withSecret(t)
  const { code, stdout } = await runHere(t, [
    ...['secrets', 'exec', 'API_KEY', '--timeout', '1', '--', 'echo begun; sleep 600'],
  ])
  t.is(code, 124)
  t.is(stdout, 'begun')
})

test('Ctrl-C ends the command and its child processes, with exit code 130 (secret-commands.md 6)', async t => {
  await withSecret(t)
  const workspace = cliWorkspace(t)
  const started = join(workspace, 'started')
  const running = startCli(t, [
    ...['secrets', 'exec', 'API_KEY', '--', `sleep 600 & : > '${started}'; sleep 600`],
  ])
  await until(() => runs(workspace, started), 'the command runs')
  running.kill('SIGINT')
  t.is((await running).exitCode, 130)
  await until(() => notedIn(workspace).length === 0, 'nothing is left')
})

test('a command is ended when it loses its terminal (secret-commands.md 6)', async t => {
  await withSecret(t)
  const workspace = cliWorkspace(t)
  const started = join(workspace, 'started')
  const running = startCli(t, ['secrets', 'exec', 'API_KEY', '--', `: > '${started}'; sleep 600`])
  await until(() => runs(workspace, started), 'the command runs')
  running.kill('SIGKILL')
  await running
  await until(() => notedIn(workspace).length === 0, 'nothing is left')
})

test('commands left by a killed daemon are ended at the next start (secret-commands.md 4)', async t => {
  await withSecret(t, runCli)
  const workspace = cliWorkspace(t)
  const started = join(workspace, 'started')
  const running = startCli(t, ['secrets', 'exec', 'API_KEY', '--', `echo $$ > '${started}'; sleep 600`])
  await until(() => runs(workspace, started), 'the command runs')
  const [leader = ''] = notedIn(workspace)
  const daemon = registeredPid(workspace) as number
  process.kill(daemon, 'SIGKILL')
  t.is((await running).exitCode, 5)
  await until(() => !isAlive(daemon), 'the daemon has ended, and its socket is closed')
  const listed = await runCli(t, ['secrets', 'list'])
  t.is(listed.stdout, 'API_KEY', listed.stderr)
  await until(() => !isAlive(Number(leader)), 'the command has ended')
  t.pass()
})

test('secrets exec --json returns the command with its output (secret-commands.md 6)', async t => {
  await withSecret(t)
  const run = await runHere(t, ['secrets', 'exec', 'API_KEY', '--json', '--', 'echo $API_KEY; exit 2'])
  t.is(run.code, 2)
  t.like(run.json(), { status: 'completed', result: { stdout: '[REDACTED]\n', code: 2, timedOut: false } })
})

test('secrets exec explains errors without repeating a value (secret-commands.md 6)', async t => {
  const unknown = await runHere(t, ['secrets', 'exec', 'NOT_THERE', '--', 'true'])
  t.is(unknown.code, 3)
  t.regex(unknown.stderr, /memory secrets set NOT_THERE/)
  for (const words of [
    ['exec', 'KEY=sk-live 1/2', '--', 'true'],
    ['exec', 'sk-live', '--', 'true'],
    ['exec', 'sk-live'],
  ]) {
    const { code, stdout, stderr } = await runHere(t, ['secrets', ...words])
    t.is(code, 2)
    t.notRegex(stdout + stderr, /sk-live/)
  }
})
