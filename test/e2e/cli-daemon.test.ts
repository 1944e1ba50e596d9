// runs: alone

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { isAlive } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, freePort, registeredPid, runCli, startCli, until } from '../helpers/cli.js'
import { deadPid, startFakeDaemon, writeRegistration } from '../helpers/fake-daemon.js'

test.serial('daemon start, status and stop report their result', async t => {
  const before = await runCli(t, ['daemon', 'status', '--json'])
  t.is(before.code, 5)
  t.false(before.json().running)

  const started = await runCli(t, ['daemon', 'start', '--json'])
  t.is(started.code, 0, started.stdout)
  t.like(started.json(), { running: true, ready: true, workspace: cliWorkspace(t) })
  const { pid } = started.json()
  // The allocator reads this variable before any code of Node runs.
  if (process.platform === 'linux')
    t.true(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes('MALLOC_ARENA_MAX=1'))

  const again = await runCli(t, ['daemon', 'start', '--json'])
  t.is(again.json().pid, pid)

  const stopped = await runCli(t, ['daemon', 'stop', '--json'])
  t.deepEqual(stopped.json(), { stopped: true, pid })
  t.false(isAlive(pid))
  t.is(registeredPid(cliWorkspace(t)), undefined)

  const none = await runCli(t, ['daemon', 'stop'])
  t.is(none.code, 0)
  t.is(none.stdout, 'The daemon is not running')
})

test.serial('a command that needs the daemon starts it', async t => {
  const { code, json, stdout } = await runCli(t, ['status', '--json'])
  t.is(code, 0, stdout)
  t.is(json().pid, registeredPid(cliWorkspace(t)))
})

test.serial('daemon restart replaces the process', async t => {
  const first = (await runCli(t, ['daemon', 'start', '--json'])).json()
  const second = (await runCli(t, ['daemon', 'restart', '--json'])).json()
  t.true(second.ready)
  t.not(second.pid, first.pid)
  t.false(isAlive(first.pid))
})

test.serial('several CLIs that start the daemon at once end with one', async t => {
  const runs = await Promise.all(Array.from({ length: 4 }, () => runCli(t, ['status', '--json'])))
  t.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0, 0],
  )
  t.is(new Set(runs.map(({ json }) => json().pid)).size, 1)
  const log = readFileSync(join(cliWorkspace(t), '.daemon', 'logs', 'daemon.log'), 'utf8')
  t.is(log.split('\n').filter(line => line.includes('"msg":"listening"')).length, 1)
})

test.serial('a second daemon on the same workspace is refused', async t => {
  await runCli(t, ['daemon', 'start'])
  const { code, stderr } = await runCli(t, ['daemon', 'run'])
  t.is(code, 3)
  t.is(stderr, `another daemon holds ${cliWorkspace(t)}; see memory daemon status, or run memory daemon stop`)
})

test.serial('another program on the port is named, with a fix', async t => {
  const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await until(() => server.listening, 'the foreign server listens')
  const { port } = server.address() as { port: number }
  const { code, json } = await runCli(t, ['recall', 'anything', '--json'], {
    env: { SERVICE_PORT: String(port) },
  })
  t.is(code, 5)
  t.is(json().code, 'foreign_process')
  t.true(json().error.includes(`port ${port}`))
  if (process.platform === 'linux') t.true(json().error.includes(`pid ${process.pid}`))
  t.true(json().nextSteps[0].includes('SERVICE_PORT='))
})

test.serial('the daemon of another workspace on the port is named', async t => {
  const port = String(await freePort())
  const env = { SERVICE_PORT: port }
  const own = await runCli(t, ['daemon', 'start', '--json'], { env })
  t.is(own.code, 0, own.stdout)
  const other = await runCli(t, ['status', '--json', '--workspace', join(cliWorkspace(t), 'other')], { env })
  t.is(other.code, 5)
  t.true(other.json().error.includes(cliWorkspace(t)))
})

test.serial('a torn registration does not hide a running daemon', async t => {
  const env = { SERVICE_PORT: String(await freePort()) }
  const { pid } = (await runCli(t, ['daemon', 'start', '--json'], { env })).json()
  const file = join(cliWorkspace(t), '.daemon', 'daemon.json')
  const whole = readFileSync(file, 'utf8')
  writeRegistration(cliWorkspace(t), whole.slice(0, 10))
  const found = await runCli(t, ['status', '--json'], { env })
  writeFileSync(file, whole)
  t.is(found.code, 0, found.stdout)
  t.is(found.json().pid, pid)
})

test.serial('the registration of a dead daemon is replaced', async t => {
  const pid = await deadPid()
  const registration = { pid, host: '127.0.0.1', port: await freePort(), version: '0.1.0' }
  writeRegistration(cliWorkspace(t), JSON.stringify(registration))
  const { code, json } = await runCli(t, ['status', '--json'])
  t.is(code, 0)
  t.not(json().pid, pid)
})

test.serial('SERVICE_NO_AUTOSTART=1 never starts a daemon for a command', async t => {
  const { code, json } = await runCli(t, ['status', '--json'], { env: { SERVICE_NO_AUTOSTART: '1' } })
  t.is(code, 5)
  t.is(json().code, 'daemon_not_started')
  t.is(registeredPid(cliWorkspace(t)), undefined)
})

test.serial('SERVICE_DAEMON_URL reaches a daemon of another workspace', async t => {
  const { url, pid } = (await runCli(t, ['daemon', 'start', '--json'])).json()
  const elsewhere = ['--workspace', join(cliWorkspace(t), 'other')]
  const { json } = await runCli(t, ['status', '--json', ...elsewhere], { env: { SERVICE_DAEMON_URL: url } })
  t.is(json().pid, pid)
  const stop = await runCli(t, ['daemon', 'stop', '--json'], { env: { SERVICE_DAEMON_URL: url } })
  t.is(stop.code, 2)
  t.is(stop.json().code, 'remote_daemon')
})

test.serial('SERVICE_DAEMON_URL must be an origin', async t => {
  const env = { SERVICE_DAEMON_URL: 'http://127.0.0.1:3850/api' }
  const { code, stderr } = await runCli(t, ['status'], { env })
  t.is(code, 2)
  t.regex(stderr, /SERVICE_DAEMON_URL is 'http:\/\/127\.0\.0\.1:3850\/api'/)
})

test.serial('SERVICE_PORT must be a port', async t => {
  const { code, json } = await runCli(t, ['status', '--json'], { env: { SERVICE_PORT: '70000' } })
  t.is(code, 2)
  t.regex(json().error, /SERVICE_PORT is '70000'/)
})

test.serial('a failed start shows the end of its log', async t => {
  const file = join(cliWorkspace(t), 'agent.yaml')
  writeFileSync(file, 'daemon:\n  port: many\n')
  const { code, json } = await runCli(t, ['status', '--json'])
  t.is(code, 5)
  t.is(json().code, 'launch_failed')
  const lines: string[] = json().details.map((detail: { message: string }) => detail.message)
  t.true(
    lines.some(line => line.includes(`${file}:2: daemon.port`)),
    lines.join('\n'),
  )
})

test.serial('a newer CLI replaces an older daemon after a drain', async t => {
  const old = await startFakeDaemon(t, cliWorkspace(t), '0.0.1')
  const { code, json, stdout } = await runCli(t, ['status', '--json'])
  t.is(code, 0, stdout)
  t.not(json().pid, old)
  t.false(isAlive(old))
})

test.serial('an older CLI uses a newer daemon', async t => {
  const newer = await startFakeDaemon(t, cliWorkspace(t), '99.0.0')
  const { code, json } = await runCli(t, ['status', '--json'])
  t.is(code, 0)
  t.is(json().version, '99.0.0')
  t.true(isAlive(newer))
})

test.serial('without autostart an older daemon is used and not replaced', async t => {
  const older = await startFakeDaemon(t, cliWorkspace(t), '0.0.1')
  const { json } = await runCli(t, ['status', '--json'], { env: { SERVICE_NO_AUTOSTART: '1' } })
  t.is(json().version, '0.0.1')
  t.true(isAlive(older))
})

test.serial('daemon run serves in the foreground until SIGTERM', async t => {
  const child = startCli(t, ['daemon', 'run'])
  await until(() => registeredPid(cliWorkspace(t)) === child.pid, 'the foreground daemon has registered')
  const { json } = await runCli(t, ['daemon', 'status', '--json'])
  t.is(json().pid, child.pid)
  child.kill('SIGTERM')
  const { exitCode } = await child
  t.is(exitCode, 0)
})

test.serial('daemon logs shows the latest lines and follows', async t => {
  const none = await runCli(t, ['daemon', 'logs'])
  t.is(none.code, 3)
  await runCli(t, ['daemon', 'start'])
  const shown = await runCli(t, ['daemon', 'logs', '--json', '--lines', '2'])
  t.deepEqual(
    shown.stdout.split('\n').map(line => typeof JSON.parse(line).msg),
    ['string', 'string'],
  )
  const following = startCli(t, ['daemon', 'logs', '-f', '--lines', '0'])
  let text = ''
  following.stdout!.on('data', chunk => {
    text += chunk
  })
  await until(async () => {
    await runCli(t, ['daemon', 'restart'])
    return text.includes('listening')
  }, 'the new line is shown')
  following.kill('SIGINT')
  const { exitCode } = await following
  t.is(exitCode, 0)
})
