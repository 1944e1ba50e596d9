// runs: in turn

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, registeredPid, runCli, startCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { emptyFolder, fakeProgram } from '../helpers/fake-program.js'
import { succeed } from '../helpers/tasks.js'

/** An agent that prints its prompt, waits for the test's file, and succeeds. */
const waiting = (file: string) => `
console.log(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'I look at ' + require('node:fs').readFileSync(0, 'utf8') }] } }))
const { existsSync } = require('node:fs')
const look = () => (existsSync(${JSON.stringify(file)}) ? ${succeed} : setTimeout(look, 20))
look()
`

const never = '0 0 29 2 *'

test('tasks are added, listed, shown, run, enabled, disabled, changed and removed from the terminal (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'claude', succeed)
  const run = (...args: string[]) => runHere(t, ['tasks', ...args], { env: { PATH: path } })
  t.regex((await run('list')).stderr, /No tasks/)
  const missing = await run('add', 'tidy up')
  t.is(missing.code, 2)
  t.regex(missing.stderr, /--cron, --harness are missing/)
  t.regex(
    (await run('add', 'x', '--cron', '@daily', '--harness', 'claude')).stderr,
    /--cron: "@daily" has 1 field/,
  )

  const added = await run('add', 'tidy', 'up', '--cron', never, '--harness', 'claude')
  t.is(added.code, 0, added.stderr)
  t.regex(added.stdout, /^✓ tidy up runs 29 Feb 20\d\d 00:00, .*\([0-9a-f-]{36}\)$/)
  t.regex(added.stderr, /memory daemon install[\s\S]*Next: memory tasks run/)
  const piped = await runHere(
    t,
    ['tasks', 'add', '-', '--cron', never, '--harness', 'codex', '--name', 'nightly', '--off', '--json'],
    {
      stdin: 'two\nlines',
      env: { PATH: path },
    },
  )
  t.like(piped.json().task, { name: 'nightly', prompt: 'two\nlines', harness: 'harness_b', enabled: false })

  const [first, second] = (await run('list')).stdout.split('\n').map(line => line.split('\t'))
  t.deepEqual([first?.[1], first?.[3], first?.[5], first?.[6]], ['on', 'claude', '-', 'tidy up'])
  t.deepEqual([second?.[1], second?.[4]], ['off', '-'])
  t.regex((await run('enable', 'nightly')).stdout, /nightly is enabled, next run in /)
  t.regex((await run('disable', 'nightly')).stdout, /nightly is disabled/)

  t.is((await run('run', 'tidy up', '--follow')).code, 0)
  const again = await run('run', 'tidy up', '--follow', '--json')
  t.like(again.json(), { status: 'completed', exitCode: 0, trigger: 'manual' })
  t.regex((await run('logs', 'tidy up')).stdout, /"type":"result"/)
  t.regex(
    (await run('show', 'tidy up')).stdout,
    /schedule +0 0 29 2 \*[\s\S]*manual +[\d a-z]+ [0-9a-f-]{36} +completed/,
  )

  const edited = await run('edit', 'tidy up', '--cron', '0 12 * * *', '--name', 'noon', '--prompt', 'look')
  t.regex(edited.stdout, /^✓ noon changed; next run (today|tomorrow) 12:00, /)
  t.is((await run('edit', 'noon')).code, 2)
  t.is((await run('show', 'gone')).code, 3)

  t.is((await run('remove', 'noon')).code, 2, 'without a terminal it needs --yes')
  t.is((await run('remove', 'noon', '--yes')).stdout, 'Removed noon')
  t.is((await run('list', '--json')).json().count, 1)
})

test('logs -f shows a run live, and ends with it (tasks.md#commands)', async t => {
  const file = join(emptyFolder(t), 'go')
  const { path } = fakeProgram(t, 'claude', waiting(file))
  const env = { PATH: path }
  await runHere(t, ['tasks', 'add', 'the tests', '--cron', never, '--harness', 'claude'], { env })
  t.is((await runHere(t, ['tasks', 'run', 'the tests'], { env })).code, 0)
  const logs = startCli(t, ['tasks', 'logs', 'the tests', '-f'], { env })
  const [seen] = (await once(logs.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  t.regex(seen.toString(), /I look at the tests/)
  const soFar = await runHere(t, ['tasks', 'logs', 'the tests'], { env })
  t.is(soFar.code, 0)
  t.regex(soFar.stdout, /I look at the tests/)
  t.regex(soFar.stderr, /Still running\. To follow it: memory tasks logs \S+ --follow/)
  writeFileSync(file, '')
  const ended = await logs
  t.is(ended.exitCode, 0)
  t.regex(ended.stderr, /completed after/)
  t.is(ended.stdout.split('I look').length, 2, 'each line once')
})

test('cancel ends a run, and its followers are notified (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'claude', waiting(join(emptyFolder(t), 'never')))
  const env = { PATH: path }
  await runHere(t, ['tasks', 'add', 'the tests', '--cron', never, '--harness', 'claude'], { env })
  const follow = startCli(t, ['tasks', 'run', 'the tests', '--follow'], { env })
  await once(follow.stdout as NodeJS.ReadableStream, 'data')
  const cancelled = await runHere(t, ['tasks', 'cancel', 'the tests'], { env })
  t.deepEqual(
    [cancelled.code, cancelled.stdout],
    [0, '✓ The run of the tests was cancelled'],
    cancelled.stderr,
  )
  const ended = await follow
  t.is(ended.exitCode, 1)
  t.regex(ended.stderr, /failed.*cancelled/)
  const again = await runHere(t, ['tasks', 'cancel', 'the tests'], { env })
  t.is(again.code, 4)
  t.regex(again.stderr, /task "the tests" is not running/)
})

test('a killed daemon ends the commands that follow a run, with the error of that run (tasks.md#commands)', async t => {
  const file = join(emptyFolder(t), 'go')
  const { path } = fakeProgram(t, 'claude', waiting(file))
  const env = { PATH: path }
  await runCli(t, ['tasks', 'add', 'the tests', '--cron', never, '--harness', 'claude'], { env })
  const follow = startCli(t, ['tasks', 'run', 'the tests', '--follow'], { env })
  await once(follow.stdout as NodeJS.ReadableStream, 'data')
  process.kill(registeredPid(cliWorkspace(t)) as number, 'SIGKILL')
  t.is((await runCli(t, ['daemon', 'start'], { env })).code, 0)
  const ended = await follow
  t.is(ended.exitCode, 1)
  t.regex(ended.stderr, /failed.*daemon_restart/)
})

test('doctor reports tasks whose agent is missing (tasks.md#commands)', async t => {
  const env = { PATH: `${emptyFolder(t)}:/usr/bin:/bin` }
  const added = await runHere(t, ['tasks', 'add', 'x', '--cron', never, '--harness', 'opencode'], { env })
  t.regex(added.stderr, /opencode is not on the PATH of this terminal/)
  const { findings } = (await runHere(t, ['doctor', '--json'], { env })).json()
  t.like(
    findings.find(({ id }: { id: string }) => id === 'task-programs'),
    { severity: 'warning', evidence: 'opencode is not on the PATH of this terminal; task "x" needs it' },
  )
  t.truthy(readFileSync(join(cliWorkspace(t), '.daemon', 'daemon.json'), 'utf8'))
})
