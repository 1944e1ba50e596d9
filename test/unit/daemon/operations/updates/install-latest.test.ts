import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  installLatest,
  whyNotInstalled,
} from '../../../../../src/daemon/operations/updates/install-latest.js'
import { installationOf } from '../../../../../src/daemon/operations/updates/installation.js'
import { packageName } from '../../../../../src/lib/workspace/version.js'
import { startDaemon, temporaryWorkspace } from '../../../../helpers/daemon.js'
import { emptyFolder } from '../../../../helpers/fake-program.js'
import { putPackage, type RegistryFake, startRegistry } from '../../../../helpers/releases.js'

test('npm installs a release into the prefix of this copy, and the result is verified (operations.md 2.3)', async t => {
  const { registry, install, packageRoot } = await startWithNpm(t)
  const done = await install()
  t.like(done, {
    success: true,
    installMethod: 'npm-global',
    installedVersion: '2.0.0',
    observedVersion: '2.0.0',
    activeExecutableVerified: true,
    activeExecutablePath: join(packageRoot, 'bin', 'run.js'),
    restartRequired: true,
  })
  t.is(JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version, '2.0.0')
  registry.tags.latest = '3.0.0'
  registry.torn.add('3.0.0')
  const torn = await install()
  t.like(torn, { success: false, errorCode: 'install_failed', restartRequired: false })
  t.regex(torn.output, /EINTEGRITY/)
  t.is(JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version, '2.0.0')
  registry.tags.latest = '4.0.0'
  registry.says['4.0.0'] = '3.9.9'
  t.like(await install(), { success: false, errorCode: 'verification_failed', observedVersion: '3.9.9' })
})

test('a missing package manager is reported, with the command to run by hand (operations.md 2.4)', async t => {
  const { install } = await startWithNpm(t, emptyFolder(t))
  const { errorCode, message } = await install()
  t.is(errorCode, 'install_failed')
  t.regex(message, /npm is not on the PATH of the daemon; by hand: npm install --global/)
})

test('files that Windows holds open are named as such, and elsewhere a foreign folder', t => {
  const refused = (code: string) => ({
    status: 'exited' as const,
    code: 1,
    output: `npm error code ${code}\nnpm error syscall rename`,
  })
  for (const code of ['EPERM', 'EBUSY', 'EACCES'])
    t.regex(whyNotInstalled(refused(code), 'npm', 'win32'), /files in use: .*memory daemon stop/u, code)
  t.regex(whyNotInstalled(refused('EPERM'), 'npm', 'linux'), /belongs to another user/u)
  t.is(whyNotInstalled(refused('E404'), 'npm', 'win32'), 'npm failed with code 1')
})

async function startWithNpm(t: ExecutionContext, path = process.env.PATH) {
  const registry: RegistryFake = await startRegistry(t, { latest: '2.0.0' })
  const home = temporaryWorkspace(t)
  const packageRoot = join(home, 'prefix', 'lib', 'node_modules', packageName)
  mkdirSync(packageRoot, { recursive: true })
  putPackage(packageRoot, '1.0.0')
  const { daemon } = await startDaemon(t, {
    settings: { update: { trustRegistry: true } },
    environment: {
      PATH: path,
      HOME: home,
      npm_config_registry: registry.url,
      npm_config_cache: join(home, 'cache'),
      // By default npm would fetch a truncated archive again several times.
      npm_config_fetch_retries: '0',
    },
  })
  const facts = { packageRoot, packageName, standalone: undefined, platform: process.platform }
  return { registry, packageRoot, install: () => installLatest(daemon, installationOf(facts)) }
}
