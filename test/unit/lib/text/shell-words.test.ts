import test from 'ava'
import { otherPortSteps } from '../../../../src/client/daemon/find-daemon.js'
import { guidanceFor } from '../../../../src/daemon/knowledge/sources/obsidian/list-vault.js'
import {
  grantCommand,
  takeCommand,
  withVariable,
  writableCommand,
} from '../../../../src/lib/text/shell-words.js'

test('next steps are commands of a POSIX shell on Linux and macOS', t => {
  for (const platform of ['linux', 'darwin'] as const) {
    t.is(
      withVariable('SERVICE_PORT', 3851, 'memory daemon start', platform),
      'SERVICE_PORT=3851 memory daemon start',
    )
    t.is(grantCommand('/a b', { access: 'write', isFolder: true }, platform), 'chmod -R u+rwX "/a b"')
    t.is(grantCommand('/a b', { access: 'read', isFolder: true }, platform), 'chmod -R u+rX "/a b"')
    t.is(grantCommand('/a.db', { access: 'write', isFolder: false }, platform), 'chmod u+rw "/a.db"')
    t.is(takeCommand('/a', platform), 'chown -R "$USER" "/a"')
    t.is(writableCommand('/a', platform), 'chmod u+w "/a"')
  }
})

test('next steps are commands of PowerShell on Windows', t => {
  const steps = [
    ...otherPortSteps(3850, 'stop it', 'win32'),
    grantCommand('D:\\m', { access: 'write', isFolder: true }, 'win32'),
    grantCommand('D:\\m.db', { access: 'write', isFolder: false }, 'win32'),
    takeCommand('D:\\m', 'win32'),
    writableCommand('D:\\s.json', 'win32'),
    guidanceFor(Object.assign(new Error('no'), { code: 'EPERM' }), 'D:\\vault', 'win32') ?? '',
  ]
  t.deepEqual(steps.slice(0, 7), [
    'use another port once: $env:SERVICE_PORT=3851; memory daemon start',
    'or permanently: memory config set daemon.port 3851',
    'or stop it',
    `icacls "D:\\m" /grant "\${env:USERNAME}:(OI)(CI)F" /T`,
    `icacls "D:\\m.db" /grant "\${env:USERNAME}:F"`,
    `icacls "D:\\m" /grant "\${env:USERNAME}:(OI)(CI)F" /T`,
    'attrib -r "D:\\s.json"',
  ])
  for (const step of steps) t.notRegex(step, /chmod|chown|rm -rf|\bSERVICE_PORT=\d+ /)
})
