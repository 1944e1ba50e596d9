// runs: in turn

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { environmentOf, runCli } from '../helpers/cli.js'
import { copyPackage } from '../helpers/installed-package.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

/** No account of this machine has it. */
const nameless = 54_321
const canBeNameless = process.platform === 'linux' && process.getuid?.() === 0
const asNameless = canBeNameless ? test : test.skip
const event = { session_id: 's-1', cwd: '/', prompt: 'is the boat red', hook_event_name: 'UserPromptSubmit' }

/** Runs the installed package as a user without a name and HOME, who may write the workspace alone. */
function container(t: ExecutionContext, env: Record<string, string> = {}) {
  const folder = temporaryFolder(t, 'memory-service-container', '/tmp')
  chmodSync(folder, 0o755)
  const installed = copyPackage(folder, { withDrivers: true })
  const workspace = join(folder, 'memories')
  mkdirSync(workspace, { mode: 0o777 })
  chmodSync(workspace, 0o777)
  const { PATH, SERVICE_PORT } = environmentOf(t)
  const memory = (words: readonly string[], input = '') =>
    execa(process.execPath, [join(installed, 'bin', 'run.js'), ...words], {
      cwd: '/',
      uid: nameless,
      gid: nameless,
      env: { PATH, SERVICE_PORT, SERVICE_WORKSPACE: workspace, ...env },
      extendEnv: false,
      reject: false,
      input,
    })
  t.teardown(() => memory(['daemon', 'stop']))
  return { folder, workspace, memory }
}

asNameless('a user without a name and without HOME saves, recalls, and gets a report of doctor', async t => {
  const { memory } = container(t)
  const saved = await memory(['remember', 'the boat is red'])
  t.is(saved.exitCode, 0, saved.stderr)
  t.regex((await memory(['recall', 'boat'])).stdout, /the boat is red/)
  const { findings } = JSON.parse((await memory(['doctor', '--json'])).stdout)
  const agents = findings.find(({ id }: { id: string }) => id === 'agents')
  t.is(agents.severity, 'info')
  t.is(agents.evidence, 'not checked: the home folder, where agents keep their settings, is unknown')
  t.deepEqual(
    findings.filter(({ severity }: { severity: string }) => severity === 'error'),
    [],
  )
})

asNameless('connect and harnesses list name HOME when it is missing', async t => {
  const { memory } = container(t)
  const connected = await memory(['connect', 'claude', '--yes'])
  t.is(connected.exitCode, 1)
  t.is(
    connected.stderr,
    'error: the home folder, where agents keep their settings, is unknown\nnext: set HOME to that folder, and try again',
  )
  const listed = await memory(['harnesses', 'list'])
  t.is(listed.exitCode, 3)
  t.regex(listed.stderr, /the daemon has no home folder: set HOME, then memory daemon restart/)
})

asNameless('the workspace is the only place that must be writable', async t => {
  const temporary = temporaryFolder(t, 'memory-service-closed', '/tmp')
  chmodSync(temporary, 0o555)
  const { folder, memory } = container(t, { TMPDIR: temporary, HOME: temporary })
  const note = join(folder, 'note.md')
  writeFileSync(note, '# Harbour\n\nThe harbour master is called Ann.\n', { mode: 0o644 })
  for (const words of [
    ['remember', 'the boat is red'],
    ['documents', 'add', note],
    ['backup', 'create'],
    ['daemon', 'restart'],
  ]) {
    const { exitCode, stderr } = await memory(words)
    t.is(exitCode, 0, `${words.join(' ')}: ${stderr}`)
  }
  t.regex((await memory(['recall', 'harbour master'])).stdout, /called Ann/)
  for (const hook of ['session-start', 'user-prompt-submit', 'session-end']) {
    const { exitCode, stderr } = await memory(
      ['hook', hook, '-H', 'claude-code', '--timeout', '60000'],
      JSON.stringify(event),
    )
    t.is(exitCode, 0)
    t.is(stderr, '', hook)
  }
})

for (const [TZ, zone] of [
  ['', 'UTC'],
  [':/etc/localtime', 'UTC'],
  ['Foo/Bar', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
] as const)
  test(`hooks and tasks work with TZ=${TZ || '(empty)'}`, async t => {
    const env = { TZ }
    t.is((await runCli(t, ['daemon', 'start'], { env })).code, 0)
    const stdin = JSON.stringify(event)
    const told = await runCli(t, ['hook', 'user-prompt-submit', '-H', 'claude-code', '--timeout', '60000'], {
      env,
      stdin,
    })
    t.is(told.stderr, '')
    t.regex(told.stdout, new RegExp(zone))
    const words = ['tasks', 'add', 'look', '--cron', '0 9 * * 1', '-H', 'claude', '--json']
    const added = await runCli(t, words, { env })
    t.is(added.code, 0, added.stderr)
    t.is(added.json().task.zone ?? zone, zone)
  })
