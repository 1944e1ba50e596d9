import { join } from 'node:path'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { runCommand } from './run-command.js'
import { daemonWords, ownMark, type Supervisor, supervisedEnvironment, unitName } from './supervisor.js'

const systemctl = (...words: string[]) => ({ words: ['systemctl', '--user', ...words] as const })

/** A unit of systemd for one user (systemd.unit(5), systemd.service(5)). */
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
 * A stop by a person is no failure, so that the daemon stays stopped; settings that are faulty, a workspace that is
 * served and a port that is taken (2, 3, 4) do not get better by themselves.
 */
function textOf(machine: Machine): string {
  const environment = Object.entries(supervisedEnvironment(machine)).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  )
  // systemd refuses programs whose path has quotes or backslashes; behind the colon nothing is taken for a variable.
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

/** A user's units end with the last session of the user, unless they linger. */
async function lingerNotes(): Promise<string[]> {
  const { said } = await runCommand({ words: ['loginctl', 'show-user', '--property=Linger', '--value'] })
  return said === 'yes'
    ? []
    : ['It runs while you are logged in. To have it from the start of the machine: loginctl enable-linger']
}
