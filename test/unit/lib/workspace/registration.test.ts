// runs: in turn

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { isAlive } from '../../../../src/lib/workspace/registration.js'
import { until } from '../../../helpers/daemon-process.js'

test('a process that runs is alive, one that is gone is not', async t => {
  t.true(isAlive(process.pid))
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  t.false(isAlive(child.pid as number))
})

// Only there a process can be asked whether it has ended: elsewhere one that exists counts as alive.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a process that ended and that nobody took note of is not alive', async t => {
  // The shell becomes a program that never asks for its child.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
  t.teardown(() => parent.kill('SIGKILL'))
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number(String(printed))
  // The shell would still have asked for it.
  await until(async () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep')
  process.kill(pid, 'SIGKILL')
  await until(async () => !isAlive(pid))
  // It is still there for who only asks whether it exists.
  t.true(process.kill(pid, 0))
})
