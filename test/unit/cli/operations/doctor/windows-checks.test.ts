// runs: alone, since it changes the PATH of its process

import test from 'ava'
import { daemonFileChecks } from '../../../../../src/cli/operations/doctor/daemon-checks.js'
import type { DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { machineChecks } from '../../../../../src/cli/operations/doctor/machine-checks.js'
import { fakeProgram } from '../../../../helpers/fake-program.js'
import { doctorContext } from './doctor-fakes.js'

const run = (id: string, context: DoctorContext) =>
  [...machineChecks, ...daemonFileChecks].find(check => check.id === id)!.run(context)

/** An icacls that shows inherited rights until they are removed. */
const icacls = `
const { existsSync, writeFileSync } = require('node:fs')
const mark = __filename + '.closed'
if (process.argv.includes('/inheritance:r')) writeFileSync(mark, '')
else console.log(existsSync(mark) ? 'PC\\\\ada:(OI)(CI)(F)' : 'BUILTIN\\\\Users:(I)(OI)(CI)(RX)')
`

test.serial('doctor warns about a workspace outside the profile of Windows, and --fix closes it', async t => {
  process.env.PATH = fakeProgram(t, 'icacls', icacls).path
  const user = { USERPROFILE: '/somewhere/ada', USERDOMAIN: 'PC', USERNAME: 'ada' }
  const context = await doctorContext(t, { platform: 'win32', user })
  const open = await run('permissions', context)
  t.like(open, { severity: 'warning', fix: 'memory health --fix' })
  t.regex(open.evidence, /other users can read .* outside your profile folder/u)
  await open.repair?.()
  t.is((await run('permissions', context)).severity, 'ok')
})

test.serial('doctor leaves a workspace inside the profile of Windows alone', async t => {
  const context = await doctorContext(t, { platform: 'win32' })
  const inside = { ...context, user: { USERPROFILE: context.paths.root.replace(/[^/]+$/u, '') } }
  t.deepEqual(await run('permissions', inside), {
    severity: 'ok',
    evidence: 'protected by your profile folder',
  })
})

test.serial('doctor warns about a workspace on a network disk', async t => {
  const on = async (disk: '9p' | 'SMB' | 'NFS' | 'FUSE' | undefined) =>
    (await run('network-disk', await doctorContext(t, { networkDisk: async () => disk }))).severity
  t.deepEqual(await Promise.all([on('9p'), on('SMB'), on('NFS')]), ['warning', 'warning', 'warning'])
  t.deepEqual(await Promise.all([on('FUSE'), on(undefined)]), ['info', 'ok'])
})
