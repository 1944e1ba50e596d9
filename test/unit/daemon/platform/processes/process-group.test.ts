// runs: alone, since it changes the PATH, language and time zone of its process

import test from 'ava'
import { bootOf, startOfProcess } from '../../../../../src/daemon/platform/processes/process-group.js'
import { fakeProgram } from '../../../../helpers/fake-program.js'

test.serial('on macOS the start of a process does not depend on language and time zone', async t => {
  const ps = fakeProgram(
    t,
    'ps',
    "console.log(process.env.TZ === 'UTC' && process.env.LC_ALL === 'C' ? 'Sat Nov 28  22:50:01 2026' : 'sam. 29 nov.')",
  )
  process.env.PATH = ps.path
  const sysctl = fakeProgram(
    t,
    'sysctl',
    "console.log('{ sec = 1764300000, usec = 1 } Fri Nov 28 03:20:00 2025')",
  )
  process.env.PATH = sysctl.path
  process.env.TZ = 'Asia/Tokyo'
  process.env.LC_ALL = 'fr_FR.UTF-8'
  const start = await startOfProcess(4711, 'darwin')
  t.is(start, '1764300000 Sat_Nov_28_22:50:01_2026')
  t.is(bootOf(start ?? ''), '1764300000')
})

test.serial('a process that macOS does not know has no start', async t => {
  process.env.PATH = fakeProgram(t, 'ps', 'process.exit(1)').path
  t.is(await startOfProcess(4711, 'darwin'), undefined)
})
