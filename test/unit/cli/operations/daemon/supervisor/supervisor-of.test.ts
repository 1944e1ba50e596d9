// runs: in turn

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  leftOutNotes,
  leftOutVariables,
  supervisorOf,
} from '../../../../../../src/cli/operations/daemon/supervisor/supervisor-of.js'
import type { Machine } from '../../../../../../src/cli/sessions/connect/entries/machine.js'
import { workspacePaths } from '../../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'

function machineIn(home: string, fields: Partial<Machine> = {}): Machine {
  return {
    env: { PATH: '/usr/bin:/bin:relative:/a/node_modules/.bin:/bin', SECRET: 'hunter2' },
    home,
    folder: home,
    platform: 'linux',
    workspace: workspacePaths(join(home, '.memory-service')),
    systemPath: '/usr/bin:/bin',
    node: '/usr/bin/node',
    packageRoot: '/opt/memory-service',
    version: '1.0.0',
    ...fields,
  }
}

test('the systemd unit has absolute paths and only three variables (rules.md#process-and-files)', t => {
  const { file, unit, text } = supervisorOf(machineIn('/home/ann'))
  t.is(unit, 'memory-service.service')
  t.is(file, '/home/ann/.config/systemd/user/memory-service.service')
  t.true(
    text.includes(
      'ExecStart=":/usr/bin/node" "/opt/memory-service/bin/run.js" "daemon" "run" "--supervised"\n',
    ),
  )
  t.true(text.includes('Environment="SERVICE_WORKSPACE=/home/ann/.memory-service"\n'))
  t.true(text.includes('Environment="PATH=/usr/bin:/bin"\n'))
  t.true(text.includes('Environment="MALLOC_ARENA_MAX=1"\n'))
  t.notRegex(text, /hunter2/)
})

test('each workspace has its own unit (rules.md#process-and-files)', t => {
  const units = ['/w/one', '/w/two'].map(
    root => supervisorOf(machineIn('/home/ann', { workspace: workspacePaths(root) })).unit,
  )
  t.is(new Set(units).size, 2)
  for (const unit of units) t.regex(unit, /^memory-service-[0-9a-f]{8}\.service$/)
})

const awkward = `it's "50%" of $HOME \${x} \\n; & <b> é`

test('systemd reads unusual paths in a unit unchanged (rules.md#process-and-files)', t => {
  const home = temporaryWorkspace(t)
  const folder = join(home, awkward)
  mkdirSync(folder)
  const node = join(folder, 'node')
  writeFileSync(node, '#!/bin/sh\n')
  chmodSync(node, 0o755)
  const { text } = supervisorOf(machineIn(home, { node, workspace: workspacePaths(folder) }))
  const file = join(home, 'memory-service.service')
  writeFileSync(file, text)
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
  } catch {
    t.log('systemd is not on this machine')
    return void t.pass()
  }
  // The verification fails for a missing program, unknown escapes and unbalanced quotes.
  const env = { ...process.env, XDG_RUNTIME_DIR: home }
  t.notThrows(() =>
    execFileSync('systemd-analyze', ['verify', '--user', '--man=no', file], { stdio: 'pipe', env }),
  )
})

test('launchd gives the daemon room for reads that wait for a dialog, and does not throttle it', async t => {
  const { text, notes } = supervisorOf(machineIn('/Users/ann', { platform: 'darwin' }))
  t.true(text.includes('<key>UV_THREADPOOL_SIZE</key><string>16</string>'))
  t.true(text.includes('<key>ProcessType</key><string>Adaptive</string>'))
  t.regex((await notes()).join('\n'), /Documents, Desktop, Downloads or iCloud, macOS asks/)
})

test("the service's PATH has no folder that only one terminal has", t => {
  const home = temporaryWorkspace(t)
  const installation = join(home, 'fnm', 'node-versions', 'v22.1.0', 'installation')
  const shell = join(home, 'fnm_multishells', '1_2')
  for (const folder of [join(installation, 'bin'), join(home, 'fnm_multishells')])
    mkdirSync(folder, { recursive: true })
  symlinkSync(installation, shell)
  const gone = join(home, 'fnm_multishells', '3_4', 'bin')
  for (const platform of ['linux', 'darwin'] as const) {
    const env = { PATH: `${join(shell, 'bin')}:${gone}:/usr/bin` }
    const { text } = supervisorOf(machineIn(home, { platform, env }))
    t.true(text.includes(`${join(realpathSync(installation), 'bin')}:/usr/bin`))
    t.notRegex(text, /fnm_multishells/)
  }
})

test('the launchd agent escapes XML characters (rules.md#process-and-files)', t => {
  const machine = machineIn('/Users/Ann Doe', {
    platform: 'darwin',
    workspace: workspacePaths(`/Users/Ann Doe/${awkward}`),
  })
  const { file, unit, text } = supervisorOf(machine)
  t.regex(unit, /^dev\.memory-service-[0-9a-f]{8}$/)
  t.is(file, `/Users/Ann Doe/Library/LaunchAgents/${unit}.plist`)
  const strings = [...text.matchAll(/<string>([^<]*)<\/string>/gu)].map(([, value]) =>
    value?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  )
  t.true(strings.includes('/opt/memory-service/bin/run.js'))
  t.true(strings.includes(machine.workspace.root))
  t.true(text.includes('<key>SuccessfulExit</key><false/>'))
})

test('other systems are refused with the command to run instead (rules.md#process-and-files)', t => {
  const error = t.throws(() => supervisorOf(machineIn('/home/ann', { platform: 'freebsd' }))) as Error & {
    nextSteps: string[]
  }
  t.regex(error.message, /no supported supervisor on freebsd/)
  t.regex(error.nextSteps[0] ?? '', /memory daemon run --supervised/)
})

const env = {
  PATH: '/usr/bin',
  SERVICE_WORKSPACE: '/w',
  SERVICE_API_KEY: 'key',
  SERVICE_PORT: '4000',
  SERVICE_LOG_LEVEL: 'debug',
  SERVICE_SECRETS_PASSPHRASE: 'hunter2',
  SERVICE_HOST: '',
}

test('daemon variables missing in the supervisor are listed; variables of other programs are not', t => {
  t.deepEqual(leftOutVariables(env), ['SERVICE_LOG_LEVEL', 'SERVICE_PORT', 'SERVICE_SECRETS_PASSPHRASE'])
})

test('the note for a port names its setting, and shows no secret', t => {
  const notes = leftOutNotes(env).join('\n')
  t.regex(notes, /SERVICE_PORT .*memory config set daemon\.port 4000/)
  t.notRegex(notes, /hunter2/)
})

const adas = (fields: Partial<Machine> = {}) =>
  machineIn('C:\\Users\\ada', {
    platform: 'win32',
    env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', PATH: 'C:\\Windows', SECRET: 'hunter2' },
    node: 'C:\\Program Files\\nodejs\\node.exe',
    ...fields,
  })

test('on Windows a file in the Startup folder starts the daemon without a window', t => {
  const { file, text, start, install } = supervisorOf(adas())
  const startup = 'C:\\Users\\ada\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup'
  t.true(file.startsWith(`${startup}\\memory-service-`))
  t.true(file.endsWith('.cmd'))
  t.regex(
    text,
    /^start "" conhost\.exe --headless "C:\\Program Files\\nodejs\\node\.exe" "[^"]+run\.js" "daemon" "run" "--supervised"\r$/mu,
  )
  t.false(/[^\r]\n/u.test(text), 'cmd needs CRLF')
  t.notRegex(text, /hunter2/u)
  t.deepEqual(install, [start])
  t.deepEqual(start.words, ['cmd.exe', '/d', '/c', file])
})

test('in the Startup folder a percent sign in a path begins no variable', t => {
  const { text } = supervisorOf(adas({ workspace: workspacePaths('/w/50%TEMP%') }))
  t.true(text.includes('set "SERVICE_WORKSPACE=/w/50%%TEMP%%"\r\n'))
})
