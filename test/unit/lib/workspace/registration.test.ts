// runs: in turn

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { isAlive, isRunning } from '../../../../src/lib/workspace/registration.js'
import { until } from '../../../helpers/daemon-process.js'

test('a running process is alive, an ended one is not', async t => {
  t.true(isAlive(process.pid))
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  t.false(isAlive(child.pid as number))
})

test('a registration from before the start of the machine is dead, whatever has its pid now', t => {
  const minuteMs = 60_000
  const registered = (minutesAgo: number) => ({
    ...{ pid: process.pid, host: '127.0.0.1', port: 3850, version: '0.1.0', workspace: '/a' },
    startedAt: new Date(Date.now() - minutesAgo * minuteMs).toISOString(),
  })
  t.false(isRunning(registered(24 * 60), () => 60 * minuteMs))
  t.true(isRunning(registered(30), () => 60 * minuteMs))
  // The text of an older release has no time.
  t.true(isRunning({ ...registered(0), startedAt: '' }, () => 60 * minuteMs))
})

// Only Linux reveals a zombie process; on other systems an existing process counts as alive.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('a zombie process is not alive', async t => {
  // The shell is replaced by a program that never reaps its child.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
  t.teardown(() => parent.kill('SIGKILL'))
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number(String(printed))
  // Before that, the shell would still reap it.
  await until(async () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep')
  process.kill(pid, 'SIGKILL')
  await until(async () => !isAlive(pid))
  // A test for mere existence still finds the process.
  t.true(process.kill(pid, 0))
})
