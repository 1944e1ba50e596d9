import { join } from 'node:path'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { runCommand } from './run-command.js'
import { daemonWords, ownMark, type Supervisor, supervisedEnvironment, unitName } from './supervisor.js'

const systemctl = (...words: string[]) => ({ words: ['systemctl', '--user', ...words] as const })

/** Returns the systemd unit of one user (systemd.unit(5), systemd.service(5)). */
export function systemdUnit(machine: Machine): Supervisor {
  const unit = `${unitName(machine)}.service`
  const configuration = machine.env.XDG_CONFIG_HOME || join(machine.home, '.config')
  return {
    name: 'systemd',
    unit,
    file: join(configuration, 'systemd', 'user', unit),
    text: textOf(machine),
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
function textOf(machine: Machine): string {
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

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '%': '%%',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
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
