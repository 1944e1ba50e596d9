import { win32 } from 'node:path'
import daemonEnvironment from '../../../../../bin/daemon-environment.json' with { type: 'json' }
import { isRunning, readRegistration } from '../../../../lib/workspace/registration.js'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { daemonWords, ownMark, type Supervisor, unitName } from './supervisor.js'

/**
 * Returns the batch file in the Startup folder of a Windows user. Services and tasks at logon need an
 * administrator. A daemon that ends is started again by the next command, not by Windows.
 */
export function startupFolder(machine: Machine): Supervisor {
  const { env, home, workspace } = machine
  const unit = `${unitName(machine)}.cmd`
  const roaming = env.APPDATA || win32.join(home, 'AppData', 'Roaming')
  const file = win32.join(roaming, 'Microsoft', 'Windows', 'Start Menu', 'Programs', 'Startup', unit)
  const start = { words: ['cmd.exe', '/d', '/c', file] as const }
  const [node = '', script = ''] = daemonWords(machine)
  return {
    name: 'Startup folder',
    unit,
    file,
    text: textOf(machine),
    probe: { words: ['cmd.exe', '/d', '/c', 'ver'] },
    install: [start],
    start,
    uninstall: [{ words: [node, script, 'daemon', 'stop', '--workspace', workspace.root], mayFail: true }],
    afterwards: [],
    isActive: async () => {
      const registration = readRegistration(workspace.registration)
      return registration !== undefined && isRunning(registration)
    },
    notes: async () => [
      'The daemon starts when you log on to Windows. If it ends, the next command starts it.',
    ],
  }
}

/**
 * A console window would stay open, and closing it would end the daemon; `conhost --headless` shows none. The
 * PATH of the user is there at logon.
 */
function textOf(machine: Machine): string {
  const variables = { ...daemonEnvironment, SERVICE_WORKSPACE: machine.workspace.root }
  return [
    '@echo off',
    `rem ${ownMark}; running that again replaces this file.`,
    // Paths in other scripts than that of the console's own code page.
    'chcp 65001 >nul',
    ...Object.entries(variables).map(([name, value]) => `set "${name}=${escaped(value)}"`),
    `start "" conhost.exe --headless ${daemonWords(machine)
      .map(word => `"${escaped(word)}"`)
      .join(' ')}`,
    '',
  ].join('\r\n')
}

/** Paths of Windows contain no quotes; a percent sign would begin a variable. */
function escaped(text: string): string {
  return text.replaceAll('%', '%%')
}
