import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { limitFiles, whereLimits } from '../helpers/limited-files.js'
import { putExecutable, settingsAsking, startRegistry, startReleases } from '../helpers/releases.js'

test('memory update shows the release, installs it and restarts the daemon (operations.md 2.5)', async t => {
  const releases = await startReleases(t, '2.0.0')
  const executable = putExecutable(t, '1.0.0')
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), settingsAsking(releases))
  const env = { SERVICE_EXECUTABLE: executable }
  const check = await runCli(t, ['update', '--check'], { env })
  t.is(check.code, 0, check.stderr)
  t.regex(check.stdout, /newest +2\.0\.0[\s\S]*Better\.[\s\S]*To install it: memory update/u)
  const done = await runCli(t, ['update', '--json'], { env })
  t.is(done.code, 0, done.stderr)
  t.like(done.json(), { success: true, installedVersion: '2.0.0', installMethod: 'binary' })
  Object.assign(releases, { manifest: 'broken' })
  const failed = await runCli(t, ['update', '--check', '--json'], { env })
  t.is(failed.code, 1)
  t.is(failed.json().code ?? failed.json().error?.code, 'check_failed')
})

test('memory update names the command if another program manages this copy (operations.md 2.3)', async t => {
  const registry = await startRegistry(t, { latest: '9.0.0', nightly: '9.1.0-nightly.1' })
  const env = { npm_config_registry: registry.url }
  await runCli(t, ['config', 'set', 'update.trustRegistry', 'true'], { env })
  const { code, stderr } = await runCli(t, ['update', '--channel', 'nightly'], { env })
  t.is(code, 1)
  t.regex(stderr, /9\.1\.0-nightly\.1 is available, but this copy can't update itself/)
  t.regex(readFileSync(join(cliWorkspace(t), 'agent.yaml'), 'utf8'), /channel: nightly/)
})

test(
  'a full disk leaves the old executable in place (operations.md 2.4)',
  whereLimits(async t => {
    const releases = await startReleases(t, '2.0.0')
    const executable = putExecutable(t, '1.0.0')
    const before = readFileSync(executable)
    const workspace = temporaryWorkspace(t)
    mkdirSync(workspace, { recursive: true })
    writeFileSync(join(workspace, 'agent.yaml'), settingsAsking(releases))
    const daemon = spawnDaemon(t, workspace, { SERVICE_EXECUTABLE: executable, SERVICE_LOG_LEVEL: 'silent' })
    const { url } = await daemon.ready()
    limitFiles(daemon.child.pid ?? 0, '16384')
    const reply = await fetch(`${url}/api/update/run`, { method: 'POST' })
    t.like(await reply.json(), { success: false, errorCode: 'install_failed', restartRequired: false })
    t.deepEqual(readFileSync(executable), before)
    t.deepEqual(readdirSync(dirname(executable)), ['memory'])
  }),
)
