// runs: in turn

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ended, nodeLine, runToEnd } from '../../helpers/commands.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

const value = 'correct-horse-battery-staple'

test('a command gets a secret in its environment, and its output is redacted (secret-commands.md 1)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const { status, body } = await daemon.call('POST /api/secrets/exec', {
    body: { command: 'echo "the key is $KEY"; echo $KEY >&2; exit 3', secrets: { KEY: 'API_KEY' } },
  })
  t.is(status, 202)
  t.deepEqual(Object.keys(body).sort(), ['createdAt', 'cwd', 'id', 'status', 'timeoutMs'])
  t.like(body, { status: 'queued', timeoutMs: 300_000 })
  const { result, ...job } = await ended(daemon, body.id)
  t.like(job, { id: body.id, status: 'completed' })
  const { durationMs, ...rest } = result ?? { durationMs: -1 }
  t.true(durationMs >= 0)
  t.deepEqual(rest, {
    stdout: 'the key is [REDACTED]\n',
    stderr: '[REDACTED]\n',
    code: 3,
    timedOut: false,
    truncated: { stdout: 0, stderr: 0 },
  })
})

test('a timeout is between a second and half an hour, five minutes by default (secret-commands.md 1)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const timeoutOf = async (timeoutMs?: number) => {
    const body = { command: 'true', secrets: { K: 'API_KEY' }, ...(timeoutMs !== undefined && { timeoutMs }) }
    return (await daemon.call('POST /api/secrets/exec', { body })).body.timeoutMs
  }
  t.deepEqual(
    [
      await timeoutOf(),
      await timeoutOf(1),
      await timeoutOf(-5),
      await timeoutOf(1e12),
      await timeoutOf(90_000),
    ],
    [300_000, 1000, 1000, 1_800_000, 90_000],
  )
})

test('a command past its timeout ends with code 124, with all of its processes (secret-commands.md 1)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const { status, result } = await runToEnd(daemon, {
    command: 'echo begun; sleep 600 & sleep 600',
    secrets: { K: 'API_KEY' },
    timeoutMs: 1000,
  })
  t.is(status, 'completed')
  t.like(result, { stdout: 'begun\n', code: 124, timedOut: true })
  await until(() => readdirSync(daemon.paths.children).length === 0)
})

for (const [what, secrets, fault] of [
  ['no secret', {}, /at least one secret/],
  ['an invalid variable name', { '1 A': 'API_KEY' }, /letters, digits and _/],
  ['a value instead of a reference', { KEY: 'sk-live 123/456' }, /not a reference to a secret/],
] as const)
  test(`a command with ${what} is refused, and nothing of it is repeated (secret-commands.md 1)`, async t => {
    const { call } = await startDaemon(t)
    const { status, body } = await call('POST /api/secrets/exec', { body: { command: 'true', secrets } })
    t.is(status, 400)
    t.is(body.code, 'validation_failed')
    t.regex(JSON.stringify(body), fault)
    t.notRegex(JSON.stringify(body), /sk-live|1 A/)
  })

test('an empty command, or one in an invalid folder, is refused (secret-commands.md 1)', async t => {
  const { call, daemon } = await startDaemon(t)
  await daemon.secrets.set('API_KEY', value)
  const secrets = { K: 'API_KEY' }
  for (const body of [{ secrets }, { command: ' ', secrets }, { command: 'true', secrets, cwd: 'here' }])
    t.is((await call('POST /api/secrets/exec', { body: body as never })).status, 400)
})

test('an unknown secret is 404 and says how to store it (secret-commands.md 1)', async t => {
  const { call } = await startDaemon(t)
  for (const reference of ['NOT_THERE', 'local://NOT_THERE', 'env:NOT_THERE']) {
    const { status, body } = await call('POST /api/secrets/exec', {
      body: { command: 'true', secrets: { K: reference } },
    })
    t.is(status, 404)
    t.regex(body.error ?? '', /NOT_THERE not found; (store it with: memory secrets set|set the variable)/)
  }
})

test('a secret shorter than four characters is refused for commands (secret-commands.md 2)', async t => {
  const { call, daemon } = await startDaemon(t)
  await daemon.secrets.set('PIN', '123')
  const { status, body } = await call('POST /api/secrets/exec', {
    body: { command: 'true', secrets: { PIN: 'PIN' } },
  })
  t.is(status, 400)
  t.regex(body.error ?? '', /PIN has fewer than 4 characters/)
})

test('a command’s environment contains its secrets and the basics, nothing of the daemon (secret-commands.md 3)', async t => {
  const daemon = await startDaemon(t, {
    environment: {
      PATH: process.env.PATH,
      LANG: 'C',
      SERVICE_API_KEY: 'svc_sk_1',
      SERVICE_TOKEN: 't',
      OPENAI_API_KEY: 'o',
      NODE_OPTIONS: '',
    },
  })
  await daemon.daemon.secrets.set('API_KEY', value)
  const { result } = await runToEnd(daemon, {
    command: nodeLine('console.log(Object.keys(process.env).sort().join())'),
    secrets: { KEY: 'API_KEY' },
  })
  // The shell adds variables of its own.
  const names = result?.stdout
    .trim()
    .split(',')
    .filter(name => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name))
  t.deepEqual(names, ['KEY', 'LANG', 'PATH'])
})

test('a value is in a command’s environment, never in an argument (secret-commands.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const { result } = await runToEnd(daemon, {
    command: 'cat /proc/*/cmdline 2>/dev/null | tr "\\0" " "; true',
    secrets: { KEY: 'API_KEY' },
  })
  t.false(result?.stdout.includes('REDACTED'))
})

test('a command has no standard input (secret-commands.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const { result } = await runToEnd(daemon, { command: 'cat; echo read', secrets: { K: 'API_KEY' } })
  t.is(result?.stdout, 'read\n')
})

test('a command runs in the workspace, or in the given folder (secret-commands.md 3)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const secrets = { K: 'API_KEY' }
  const there = await runToEnd(daemon, { command: 'pwd', secrets, cwd: '/' })
  t.is(there.result?.stdout, '/\n')
  const here = await runToEnd(daemon, { command: 'pwd -P', secrets })
  t.is(here.result?.stdout.trim(), realpathSync(daemon.paths.root))
})

test('the older route runs a command with one secret under its own name (secret-commands.md 1)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const params = { name: 'API_KEY' }
  const one = await daemon.call('POST /api/secrets/:name/exec', {
    params,
    body: { command: 'echo $API_KEY' },
  })
  t.is(one.status, 202)
  t.is((await ended(daemon, one.body.id)).result?.stdout, '[REDACTED]\n')
  const other = await daemon.call('POST /api/secrets/:name/exec', {
    params,
    body: { command: 'echo "$OTHER/$API_KEY"', secrets: { OTHER: 'API_KEY' } },
  })
  t.is((await ended(daemon, other.body.id)).result?.stdout, '[REDACTED]/\n')
})

test('output over a megabyte keeps its beginning and its end (secret-commands.md 4)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const { result } = await runToEnd(daemon, {
    command: nodeLine(
      "console.log('first'); process.stdout.write('é'.repeat(1000000)); console.log(process.env.K + '\\n' + 'last')",
    ),
    secrets: { K: 'API_KEY' },
  })
  const { stdout = '', truncated } = result ?? {}
  t.true(stdout.startsWith('first\né'))
  t.true(stdout.endsWith('[REDACTED]\nlast\n'))
  t.notRegex(stdout, /\ufffd/)
  const [, leftOut] = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/.exec(stdout) ?? []
  t.is(truncated?.stdout, Number(leftOut))
  t.is(truncated?.stderr, 0)
  const kept = Buffer.byteLength(stdout.replace(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/, ''))
  t.is(kept + Number(leftOut), 'first\n'.length + 2_000_000 + '[REDACTED]\nlast\n'.length)
})

test('a cancelled command ends and keeps its output so far (secret-commands.md 4)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const started = join(daemon.paths.root, 'started')
  const { body } = await daemon.call('POST /api/secrets/exec', {
    body: { command: `echo begun; : > '${started}'; sleep 600`, secrets: { K: 'API_KEY' } },
  })
  await until(() => existsSync(started))
  const cancelled = await daemon.call('DELETE /api/secrets/exec/:jobId', { params: { jobId: body.id } })
  t.like(cancelled.body, { status: 'failed', error: 'the command was cancelled' })
  t.is(cancelled.body.result?.stdout, 'begun\n')
})

test('an unknown command is 404 (secret-commands.md 4)', async t => {
  const { call } = await startDaemon(t)
  const { status, body } = await call('GET /api/secrets/exec/:jobId', { params: { jobId: 'none' } })
  t.is(status, 404)
  t.regex(body.error ?? '', /none/)
})

test('64 commands may run or wait, a further one is 429 (secret-commands.md 4)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const body = { command: 'sleep 600', secrets: { K: 'API_KEY' } }
  const replies = await Promise.all(
    Array.from({ length: 70 }, () => daemon.call('POST /api/secrets/exec', { body })),
  )
  t.is(replies.filter(({ status }) => status === 202).length, 64)
  const [refused] = replies.filter(({ status }) => status === 429)
  t.is(refused?.body.code, 'rate_limited')
  t.is(refused?.headers.get('retry-after'), '5')
})

test('stopping the daemon ends every command (secret-commands.md 4)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  const started = join(daemon.paths.root, 'started')
  await daemon.call('POST /api/secrets/exec', {
    body: { command: `: > '${started}'; sleep 600`, secrets: { K: 'API_KEY' } },
  })
  await until(() => existsSync(started))
  await daemon.stop()
  t.deepEqual(readdirSync(daemon.paths.children), [])
})

test('the audit log records commands without values (secret-commands.md 5)', async t => {
  const daemon = await startDaemon(t)
  await daemon.daemon.secrets.set('API_KEY', value)
  await runToEnd(daemon, { command: `echo ${value} $K`, secrets: { K: 'API_KEY' } })
  const events = await until(() => {
    const lines = existsSync(daemon.paths.pluginAudit) ? readFileSync(daemon.paths.pluginAudit, 'utf8') : ''
    const told = lines.split('\n').filter(line => line.includes('secret.exec'))
    return told.length === 2 ? told.map(line => JSON.parse(line)) : undefined
  })
  t.deepEqual(
    events.map(({ event, result }) => [event, result]),
    [
      ['secret.exec.started', 'ok'],
      ['secret.exec.ended', 'ok'],
    ],
  )
  t.like(events[0].data, { variables: ['K'], references: ['API_KEY'], command: 'echo [REDACTED] $K' })
  t.like(events[1].data, { code: 0, timedOut: false })
})

test('the audit log redacts other secrets typed into a command (secret-commands.md 5)', async t => {
  const daemon = await startDaemon(t)
  const { secrets } = daemon.daemon
  await secrets.set('API_KEY', value)
  const other = 'a phrase of another, typed by hand'
  await secrets.set('OTHER', other)
  await secrets.set('LINES', 'a first line\na second line')
  const long = 'x'.repeat(300)
  await secrets.set('LONG', long)
  const command = `echo ${long} "${other}" 'a second line' ${Buffer.from(other).toString('base64')}`
  await runToEnd(daemon, { command, secrets: { K: 'API_KEY' } })
  const { body } = await daemon.call('GET /api/plugins/audit', { query: { event: 'secret.exec.started' } })
  t.like(body.events[0]?.data, { command: `echo [REDACTED] "[REDACTED]" '[REDACTED]' [REDACTED]==` })
})

test('a command continues when a full disk has space again (secret-commands.md 4)', async t => {
  const daemon = await startDaemon(t)
  const { room, secrets } = daemon.daemon
  await secrets.set('API_KEY', value)
  const body = { command: 'touch begun; sleep 1; echo done', secrets: { K: 'API_KEY' } }
  const { id } = (await daemon.call('POST /api/secrets/exec', { body })).body
  await until(() => existsSync(join(daemon.paths.root, 'begun')) || undefined)
  room.note(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  t.is(await room.look(), undefined)
  t.like((await ended(daemon, id)).result, { stdout: 'done\n', code: 0 })
})
