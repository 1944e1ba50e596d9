import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { UpdateErrorCode } from '../../../src/contract/operations/updates.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import {
  executableOf,
  manifestOf,
  putExecutable,
  type ReleaseFake,
  startRegistry,
  startReleases,
} from '../../helpers/releases.js'

const hourMs = 3_600_000
const trusting = { update: { trustRegistry: true } }

test('without a configured source no server is asked and nothing is installed (operations.md 2.1)', async t => {
  const registry = await startRegistry(t, { latest: '9.9.9' })
  const { call } = await startDaemon(t, { environment: { npm_config_registry: registry.url } })
  const { body } = await call('POST /api/update/run')
  t.like(body, { success: false, errorCode: 'check_failed', command: null })
  t.regex(body.message, /no release source is configured: set update\.manifestUrl/)
  t.like((await call('GET /api/update/check')).body, { updateAvailable: false, latestVersion: null })
  t.is(registry.requests.length, 0)
})

test('a registry without encryption is not asked (operations.md 2.1)', async t => {
  const environment = { npm_config_registry: 'http://registry.example.org' }
  const { call } = await startDaemon(t, { settings: trusting, environment })
  t.regex((await call('GET /api/update/check')).body.error ?? '', /not encrypted/)
})

test('a check queries the npm registry for the channel’s tag, and again only after an hour (operations.md 2.1)', async t => {
  const registry = await startRegistry(t, { latest: '2.0.0', nightly: '2.1.0-nightly.3' })
  let nowMs = Date.parse('2026-03-01T00:00:00Z')
  const { call } = await startDaemon(t, {
    settings: trusting,
    environment: { npm_config_registry: registry.url },
    clock: () => new Date(nowMs),
  })
  const first = (await call('GET /api/update/check')).body
  t.like(first, {
    currentVersion: '0.0.0-test',
    latestVersion: '2.0.0',
    updateAvailable: true,
    cached: false,
    restartRequired: false,
    pendingVersion: null,
    publishedAt: '2026-02-03T04:05:06.000Z',
    releaseUrl: 'https://example.org/memory',
    error: null,
  })
  nowMs += hourMs - 1000
  registry.tags.latest = '2.0.1'
  const again = (await call('GET /api/update/check')).body
  t.like(again, { latestVersion: '2.0.0', cached: true, checkedAt: first.checkedAt })
  t.is(registry.requests.length, 1)
  t.like((await call('GET /api/update/check', { query: { force: true } })).body, {
    latestVersion: '2.0.1',
    cached: false,
  })
  nowMs += hourMs
  t.false((await call('GET /api/update/check')).body.cached)
  await call('POST /api/update/config', { body: { channel: 'nightly' } })
  t.like((await call('GET /api/update/check')).body, { latestVersion: '2.1.0-nightly.3', cached: false })
  // A release older than the running one is not installed.
  registry.tags.nightly = '0.0.0-1'
  t.like((await call('GET /api/update/check', { query: { force: true } })).body, { updateAvailable: false })
})

test('a version that cannot be determined is part of the reply, not an error (operations.md 2.1)', async t => {
  const registry = await startRegistry(t, { latest: 'not a version' })
  const { call } = await startDaemon(t, {
    settings: trusting,
    environment: { npm_config_registry: registry.url },
  })
  const asked = async () => (await call('GET /api/update/check', { query: { force: true } })).body
  t.regex((await asked()).error ?? '', /no version tagged latest/)
  const empty = { npm_config_registry: `${registry.url}/nowhere` }
  const nowhere = await (await startDaemon(t, { settings: trusting, environment: empty })).call(
    'GET /api/update/check',
  )
  t.regex(nowhere.body.error ?? '', /no release is published at .*update\.manifestUrl/)
  const { body } = await (await startDaemon(t, { settings: trusting })).call('GET /api/update/check')
  t.like(body, { latestVersion: null, updateAvailable: false })
  t.regex(body.error ?? '', /can't be reached/)
})

test('config is written to agent.yaml with its comments kept, and within its bounds (operations.md 2.2)', async t => {
  const { call, paths } = await startDaemon(t)
  writeFileSync(paths.settings, `# mine\n${readFileSync(paths.settings, 'utf8')}`)
  const ranSoFar = { pendingRestartVersion: null, lastAutoUpdateAt: null, lastAutoUpdateError: null }
  const defaults = { autoCheck: false, autoInstall: false, checkInterval: 21_600, channel: 'stable' as const }
  t.deepEqual((await call('GET /api/update/config')).body, {
    ...defaults,
    ...ranSoFar,
    minInterval: 300,
    maxInterval: 604_800,
    updateInProgress: false,
  })
  const { body } = await call('POST /api/update/config', { body: { checkInterval: 300, channel: 'nightly' } })
  const config = { ...defaults, checkInterval: 300, channel: 'nightly' as const }
  t.deepEqual(body, { success: true, config, persisted: true, ...ranSoFar })
  t.regex(readFileSync(paths.settings, 'utf8'), /^# mine$[\s\S]*^ {2}channel: nightly$/mu)
  for (const wrong of [{ checkInterval: 299 }, { checkInterval: 604_801 }, { channel: 'beta' as never }])
    t.is((await call('POST /api/update/config', { body: wrong })).status, 400)
  t.like((await call('GET /api/update/config')).body, config)
})

test('a git checkout is not updated, and the reply says what to run (operations.md 2.3)', async t => {
  const registry = await startRegistry(t, { latest: '2.0.0' })
  const { call } = await startDaemon(t, {
    settings: trusting,
    environment: { npm_config_registry: registry.url },
  })
  const { status, body } = await call('POST /api/update/run')
  t.is(status, 200)
  t.like(body, {
    success: false,
    restartRequired: false,
    errorCode: 'manual_install_required',
    installedVersion: null,
  })
  t.regex(body.command ?? '', /git|npm/)
  registry.tags.latest = '0.0.0-1'
  const current = (await call('POST /api/update/run')).body
  t.like(current, { success: true, restartRequired: false, errorCode: null })
  t.regex(current.message, /no update is needed/)
})

test('an executable is replaced with that of a signed release, and the old one is kept (operations.md 2.4)', async t => {
  const { daemon, executable, before } = await startStandalone(t)
  const { body } = await daemon.call('POST /api/update/run')
  t.like(body, {
    success: true,
    installedVersion: '2.0.0',
    restartRequired: true,
    installMethod: 'binary',
    activeExecutablePath: executable,
    activeExecutableVerified: true,
    observedVersion: '2.0.0',
    errorCode: null,
  })
  t.deepEqual(readFileSync(executable), executableOf('2.0.0'))
  t.deepEqual(readFileSync(`${executable}.previous`), before)
  t.deepEqual(readdirSync(dirname(executable)).sort(), ['memory', 'memory.previous'])
  t.like((await daemon.call('GET /api/update/check')).body, {
    restartRequired: true,
    pendingVersion: '2.0.0',
  })
  t.is((await daemon.call('GET /api/update/config')).body.pendingRestartVersion, '2.0.0')
  const again = (await daemon.call('POST /api/update/run')).body
  t.like(again, { success: true, restartRequired: true })
  t.regex(again.message, /already installed/)
})

const faults: readonly [what: string, code: UpdateErrorCode, plant: (releases: ReleaseFake) => void][] = [
  ['an invalid manifest', 'manifest_invalid', fake => Object.assign(fake, { manifest: { version: 'x' } })],
  ['a signature from another key', 'manifest_invalid', fake => Object.assign(fake, { isForged: true })],
  ['a missing file for this machine', 'asset_missing', fake => plant(fake, { platform: 'plan9' })],
  ['an http address', 'manifest_invalid', fake => plant(fake, { url: 'http://192.0.2.1/memory' })],
  ['a missing file', 'download_failed', fake => plant(fake, { url: 'gone' })],
  ['a wrong checksum', 'checksum_mismatch', fake => plant(fake, { sha256: 'ab'.repeat(32) })],
  ['a file with the wrong size', 'checksum_mismatch', fake => plant(fake, { size: 100 })],
  ['an executable that does not start', 'verification_failed', fake => hand(fake, executableOf(undefined))],
  ['an executable of another version', 'verification_failed', fake => hand(fake, executableOf('1.9.9'))],
]

for (const [what, code, fault] of faults)
  test(`${what} leaves the old executable in place (operations.md 2.4)`, async t => {
    const { daemon, releases, executable, before } = await startStandalone(t)
    fault(releases)
    const { body } = await daemon.call('POST /api/update/run')
    t.like(body, { success: false, restartRequired: false, errorCode: code, activeExecutableVerified: false })
    t.deepEqual(readFileSync(executable), before)
    t.deepEqual(readdirSync(dirname(executable)), ['memory'])
    t.is((await daemon.call('GET /api/update/config')).body.pendingRestartVersion, null)
  })

test('leftovers of a killed installation beside the executable are removed at the next start (operations.md 2.4)', async t => {
  const releases = await startReleases(t, '2.0.0')
  const executable = putExecutable(t, '1.0.0')
  writeFileSync(`${executable}.2.0.0.download`, 'half of it')
  writeFileSync(join(dirname(executable), 'other.download'), 'of somebody else')
  await startDaemon(t, {
    settings: { update: releases.settings },
    environment: { SERVICE_EXECUTABLE: executable },
  })
  t.deepEqual(readdirSync(dirname(executable)).sort(), ['memory', 'other.download'])
})

test('without autoCheck and autoInstall no check runs; with autoInstall found updates are installed (operations.md 2.2)', async t => {
  const { daemon, releases, executable } = await startStandalone(t)
  await daemon.call('POST /api/update/config', { body: { checkInterval: 300 } })
  await daemon.call('GET /api/update/check')
  t.is(releases.requests.length, 2)
  await daemon.call('POST /api/update/config', { body: { autoInstall: true } })
  const { lastAutoUpdateError, pendingRestartVersion } = await until(async () => {
    const { body } = await daemon.call('GET /api/update/config')
    return body.lastAutoUpdateAt === null ? undefined : body
  })
  t.deepEqual([lastAutoUpdateError, pendingRestartVersion], [null, '2.0.0'])
  t.deepEqual(readFileSync(executable), executableOf('2.0.0'))
})

interface Standalone {
  daemon: TestDaemon
  releases: ReleaseFake
  executable: string
  before: Buffer
}

/** Starts a daemon from an executable of version 1.0.0, with a release server that has 2.0.0. */
async function startStandalone(t: ExecutionContext): Promise<Standalone> {
  const releases = await startReleases(t, '2.0.0')
  const executable = putExecutable(t, '1.0.0')
  const daemon = await startDaemon(t, {
    settings: { update: releases.settings },
    environment: { SERVICE_EXECUTABLE: executable, PATH: process.env.PATH },
  })
  return { daemon, releases, executable, before: readFileSync(executable) }
}

function plant(fake: ReleaseFake, fields: object): void {
  fake.manifest = manifestOf('2.0.0', fake.file, fields)
}

function hand(fake: ReleaseFake, file: Buffer): void {
  Object.assign(fake, { file, manifest: manifestOf('2.0.0', file) })
}
