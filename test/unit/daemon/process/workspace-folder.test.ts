// runs: alone, since it changes the PATH of its process

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { checkDisk, closeNewWorkspace, UnsafeDisk } from '../../../../src/daemon/process/workspace-folder.js'
import type { NetworkDisk } from '../../../../src/lib/files/network-disk.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { fakeProgram } from '../../../helpers/fake-program.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

function workspaceOn(t: ExecutionContext, disk: NetworkDisk | undefined, environment = {}) {
  const paths = workspacePaths(temporaryFolder(t))
  const warnings: string[] = []
  const log = { warn: (_fields: unknown, text?: string) => void warnings.push(text ?? '') }
  const check = () => checkDisk({ paths, environment, log: log as never, diskOf: async () => disk })
  const makeDatabase = () => {
    mkdirSync(dirname(paths.database), { recursive: true })
    writeFileSync(paths.database, '')
  }
  return { paths, check, makeDatabase, warnings }
}

for (const disk of ['9p', 'SMB'] as const)
  test(`no new workspace is made on a ${disk} disk unless SERVICE_NETWORK_DISK is 1`, async t => {
    const error = await t.throwsAsync(workspaceOn(t, disk).check(), { instanceOf: UnsafeDisk })
    t.regex(error?.message ?? '', new RegExp(`would be on a ${disk} disk.*SERVICE_DAEMON_URL`, 'u'))
    const { check, warnings } = workspaceOn(t, disk, { SERVICE_NETWORK_DISK: '1' })
    await check()
    t.is(warnings.length, 1)
  })

test('an existing workspace on such a disk starts with a warning, and so does a new one on NFS or FUSE', async t => {
  const { check, makeDatabase, warnings } = workspaceOn(t, '9p')
  makeDatabase()
  await check()
  t.deepEqual(warnings, ['workspace on a network disk; a second system would damage the database'])
  for (const disk of ['NFS', 'FUSE'] as const) {
    const other = workspaceOn(t, disk)
    await other.check()
    t.is(other.warnings.length, 1)
  }
  const usual = workspaceOn(t, undefined)
  await usual.check()
  t.deepEqual(usual.warnings, [])
})

test.serial('on Windows a new workspace outside the profile gets an access list of its own', async t => {
  const icacls = fakeProgram(t, 'icacls', '')
  process.env.PATH = icacls.path
  const { paths, makeDatabase } = workspaceOn(t, undefined)
  const environment = { USERPROFILE: '/somewhere/ada', USERDOMAIN: 'PC', USERNAME: 'ada' }
  const log = { warn: () => t.fail() } as never
  await closeNewWorkspace(paths, {
    environment: { USERPROFILE: dirname(paths.root) },
    log,
    platform: 'win32',
  })
  await closeNewWorkspace(paths, { environment, log, platform: 'linux' })
  t.deepEqual(icacls.calls(), [])
  await closeNewWorkspace(paths, { environment, log, platform: 'win32' })
  t.deepEqual(
    icacls.calls().map(({ args }) => args),
    [[paths.root, '/inheritance:r', '/grant:r', 'PC\\ada:(OI)(CI)F']],
  )
  makeDatabase()
  await closeNewWorkspace(paths, { environment, log, platform: 'win32' })
  t.is(icacls.calls().length, 1)
})
