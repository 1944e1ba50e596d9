import { join } from 'node:path'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { runCommand } from './run-command.js'
import { daemonWords, ownMark, type Supervisor, supervisedEnvironment, unitName } from './supervisor.js'

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
