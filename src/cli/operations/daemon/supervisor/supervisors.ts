import { join, win32 } from 'node:path'
import daemonEnvironment from '../../../../../bin/daemon-environment.json' with { type: 'json' }
import { isRunning, readRegistration } from '../../../../lib/workspace/registration.js'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { runCommand } from './run-command.js'
import { daemonWords, ownMark, type Supervisor, supervisedEnvironment, unitName } from './supervisor.js'

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '%': '%%',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const launchctl = (...words: string[]) => ({ words: ['launchctl', ...words] as const })

/** Returns the launchd agent of one user (launchd.plist(5)). */
export function launchdAgent(machine: Machine): Supervisor {
  const unit = `dev.${unitName(machine)}`
  const file = join(machine.home, 'Library', 'LaunchAgents', `${unit}.plist`)
  const domain = `gui/${process.getuid?.() ?? 0}`
  const service = `${domain}/${unit}`
  const bootout = { ...launchctl('bootout', service), mayFail: true }
  return {
    name: 'launchd',
    unit,
    file,
    text: textOf(machine, unit),
    probe: launchctl('print', domain),
    install: [bootout, launchctl('enable', service), launchctl('bootstrap', domain, file)],
    start: launchctl('kickstart', service),
    uninstall: [bootout],
    afterwards: [],
    isActive: async () => {
      const { ok, output } = await runCommand(launchctl('print', service))
      return ok && /^[ \t]*state = running$/mu.test(output)
    },
    notes: async () => [
      'The daemon runs while you are logged in to this Mac.',
      'For projects in Documents, Desktop, Downloads or iCloud, macOS asks whether node may read them: allow it, or sessions there start without their repository.',
    ],
  }
}

function textOf(machine: Machine, label: string): string {
  const words = daemonWords(machine).map(word => `    <string>${escaped(word)}</string>`)
  // A dialog of macOS blocks the reads that wait for it, each in a thread of Node's pool.
  const variables = { ...supervisedEnvironment(machine), UV_THREADPOOL_SIZE: '16' }
  const environment = Object.entries(variables).map(
    ([name, value]) => `    <key>${escaped(name)}</key><string>${escaped(value)}</string>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${ownMark}; running that again replaces this file. -->
<plist version="1.0">
<dict>
  <key>Label</key><string>${escaped(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${environment.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ProcessType</key><string>Adaptive</string>
  <key>ThrottleInterval</key><integer>60</integer>
  <key>ExitTimeOut</key><integer>20</integer>
  <key>StandardErrorPath</key><string>${escaped(machine.workspace.launchLog)}</string>
</dict>
</plist>
`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes the text of an XML element. */
function escaped(text: string): string {
  return text.replace(/[&<>]/gu, found => entities[found] as string)
}

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
    text: scriptText(machine),
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
function scriptText(machine: Machine): string {
  const variables = { ...daemonEnvironment, SERVICE_WORKSPACE: machine.workspace.root }
  return [
    '@echo off',
    `rem ${ownMark}; running that again replaces this file.`,
    // Paths in other scripts than that of the console's own code page.
    'chcp 65001 >nul',
    ...Object.entries(variables).map(([name, value]) => `set "${name}=${escapedInScript(value)}"`),
    `start "" conhost.exe --headless ${daemonWords(machine)
      .map(word => `"${escapedInScript(word)}"`)
      .join(' ')}`,
    '',
  ].join('\r\n')
}

/** Paths of Windows contain no quotes; a percent sign would begin a variable. */
function escapedInScript(text: string): string {
  return text.replaceAll('%', '%%')
}

const systemctl = (...words: string[]) => ({ words: ['systemctl', '--user', ...words] as const })

/** Returns the systemd unit of one user (systemd.unit(5), systemd.service(5)). */
export function systemdUnit(machine: Machine): Supervisor {
  const unit = `${unitName(machine)}.service`
  const configuration = machine.env.XDG_CONFIG_HOME || join(machine.home, '.config')
  return {
    name: 'systemd',
    unit,
    file: join(configuration, 'systemd', 'user', unit),
    text: unitText(machine),
    probe: systemctl('show', '--property=Version'),
    install: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
    start: systemctl('start', unit),
    uninstall: [{ ...systemctl('disable', '--now', unit), mayFail: true }],
    afterwards: [{ ...systemctl('daemon-reload'), mayFail: true }],
    isActive: async () => (await runCommand(systemctl('is-active', unit))).ok,
    notes: lingerNotes,
  }
}

/**
 * A stop by the user counts as success, so the daemon is not restarted. Nor is it after exit codes 2, 3 and
 * 4: invalid settings, a workspace in use and a port in use need a person.
 */
function unitText(machine: Machine): string {
  const environment = Object.entries(supervisedEnvironment(machine)).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  )
  // systemd rejects program paths with quotes or backslashes. The colon disables variable expansion in
  // arguments.
  const words = daemonWords(machine)
  const [program = '', ...args] = /["'\\\p{Cc}]/u.test(machine.node) ? ['/usr/bin/env', ...words] : words
  return `# ${ownMark}; running that again replaces this file.
[Unit]
Description=memory-service, one local memory for coding agents

[Service]
ExecStart=${[`:${program}`, ...args].map(quoted).join(' ')}
${environment.join('\n')}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 3 4
KillMode=mixed
TimeoutStopSec=20

[Install]
WantedBy=default.target
`
}

/** One word of a unit, whatever is in it. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"%\n\r\t]/gu, found => escapes[found] as string)}"`
}

/** Without lingering, a user's units end with the user's last session. */
async function lingerNotes(): Promise<string[]> {
  const { output } = await runCommand({ words: ['loginctl', 'show-user', '--property=Linger', '--value'] })
  return output === 'yes'
    ? []
    : ['The daemon runs while you are logged in. To start it at boot: loginctl enable-linger']
}
