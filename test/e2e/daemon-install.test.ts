import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { cliWorkspace, registeredPid, runCli, until } from '../helpers/cli.js'
import { emptyFolder } from '../helpers/fake-program.js'
import { fakeSystemd } from '../helpers/fake-systemd.js'

const isLinux = process.platform === 'linux'

test('daemon install lets systemd start the daemon, status shows it, and uninstall reverts it (rules.md#process-and-files)', async t => {
  if (!isLinux) return void t.pass()
  const systemd = fakeSystemd(t)
  const workspace = cliWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), 'daemon: { port: 0 }\n')
  const run = (...args: string[]) => runCli(t, args, { env: systemd.env })
  t.is((await run('daemon', 'start')).code, 0)
  const unsupervised = registeredPid(workspace)

  const shown = (await run('daemon', 'install', '--dry-run', '--json')).json()
  t.deepEqual(systemd.asked(), [], 'a dry run calls no systemctl')
  const env = { ...systemd.env, SERVICE_LOG_LEVEL: 'debug', SERVICE_SECRETS_PASSPHRASE: 'hunter2' }
  const dry = await runCli(t, ['daemon', 'install', '--dry-run'], { env })
  t.regex(
    dry.stderr,
    /SERVICE_LOG_LEVEL is set here but not for the service: [\s\S]*SERVICE_SECRETS_PASSPHRASE/,
  )
  t.notRegex(dry.stdout + dry.stderr, /hunter2/)
  const installed = await run('daemon', 'install', '--json')
  t.is(installed.code, 0, installed.stdout)
  const { file, text, supervision } = installed.json()
  t.is(text, shown.text)
  const unit = String(supervision.unit)
  t.is(systemd.unit(unit), text)
  t.like(supervision, { name: 'systemd', active: true, current: true })
  t.deepEqual(systemd.asked().slice(0, 4), [
    'show --property=Version',
    'daemon-reload',
    `enable ${unit}`,
    `restart ${unit}`,
  ])
  const pid = registeredPid(workspace)
  t.not(pid, unsupervised)
  t.regex((await run('daemon', 'status')).stdout, new RegExp(`systemd +runs it as ${unit}`))
  writeFileSync(join(workspace, 'agent.yaml'), 'daemon: { port: 0, idleTimeoutMs: 1 }\n')
  const { uptime } = (await run('daemon', 'status', '--json')).json()
  await until(
    async () => (await run('daemon', 'status', '--json')).json().uptime > uptime + 3,
    'it does not stop when idle',
  )
  t.is(registeredPid(workspace), pid)

  t.is((await run('daemon', 'stop')).code, 0)
  const stopped = await run('daemon', 'status')
  t.is(stopped.code, 5)
  t.regex(stopped.stdout, /is stopped\. Start it: memory daemon restart/)
  t.is((await run('daemon', 'start')).code, 0)
  t.regex((await run('daemon', 'status')).stdout, /runs it as/)

  t.is((await run('daemon', 'uninstall')).code, 2, 'without a terminal it needs --yes')
  t.deepEqual((await run('daemon', 'uninstall', '--yes', '--json')).json(), { file, removed: true })
  t.is(systemd.unit(unit), '')
  await until(() => registeredPid(workspace) === undefined, 'the daemon has ended')
  t.regex((await run('daemon', 'uninstall')).stdout, /No service is installed/)
})

test('daemon install changes nothing without systemd, or if the unit file is not ours (rules.md#process-and-files)', async t => {
  if (!isLinux) return void t.pass()
  const none = await runCli(t, ['daemon', 'install'], { env: { PATH: emptyFolder(t) } })
  t.is(none.code, 5)
  t.regex(none.stderr, /systemd is not available for this user: systemctl/)
  const systemd = fakeSystemd(t)
  const { file } = (await runCli(t, ['daemon', 'install', '--dry-run', '--json'])).json()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '[Unit]\nDescription=mine\n')
  for (const args of [['install'], ['uninstall', '--yes']]) {
    const refused = await runCli(t, ['daemon', ...args], { env: systemd.env })
    t.is(refused.code, 4, args[0])
    t.regex(refused.stderr, /was not written by memory daemon install/)
  }
  t.deepEqual(systemd.asked(), [])
})
