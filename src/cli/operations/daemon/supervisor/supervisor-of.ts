import { existsSync, readFileSync } from 'node:fs'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { CliError } from '../../../shell/cli-error.js'
import { launchdAgent } from './launchd-agent.js'
import { type Command, runCommand } from './run-command.js'
import { ownMark, type Supervision, type Supervisor } from './supervisor.js'
import { systemdUnit } from './systemd-unit.js'

/** What the file of a supervisor has, and what programs other than the daemon read. */
const elsewhere = new Set([
  'SERVICE_WORKSPACE',
  ...['SERVICE_DAEMON_URL', 'SERVICE_API_KEY', 'SERVICE_TOKEN', 'SERVICE_NO_AUTOSTART'],
  ...['SERVICE_NO_HOOKS', 'SERVICE_BYPASS', 'SERVICE_PROJECT', 'SERVICE_PROMPT_SUBMIT_TIMEOUT'],
])

/** @throws CliError `not_supported` on other systems than Linux and macOS. */
export function supervisorOf(machine: Machine): Supervisor {
  const { platform, node, packageRoot } = machine
  if (platform === 'linux') return systemdUnit(machine)
  if (platform === 'darwin') return launchdAgent(machine)
  const steps =
    platform === 'win32'
      ? [
          `let the Task Scheduler run this at logon: "${node}" "${packageRoot}\\bin\\run.js" daemon run --supervised`,
        ]
      : ['let the supervisor of this system run: memory daemon run --supervised']
  throw new CliError(`there is no supervisor on ${platform} that this command knows: nothing was changed`, {
    code: 'not_supported',
    exit: 'failure',
    nextSteps: steps,
  })
}

/** The text of its file; undefined when there is none. @throws CliError `conflict` for a file of somebody else. */
export function installedText({ file }: Pick<Supervisor, 'file'>): string | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  if (text.includes(ownMark)) return text
  throw new CliError(`${file} was not written by memory daemon install: nothing was changed`, {
    code: 'conflict',
    exit: 'refused',
    nextSteps: ['move it away, then try again'],
  })
}

/** What there is on this machine for a workspace; undefined where nothing is installed. Never throws. */
export async function supervisionOf(machine: Machine): Promise<Supervision | undefined> {
  if (machine.platform !== 'linux' && machine.platform !== 'darwin') return undefined
  const supervisor = supervisorOf(machine)
  const { name, unit, file } = supervisor
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (text === undefined) return undefined
  return { name, unit, file, active: await supervisor.isActive(), current: text === supervisor.text }
}

/** Runs commands one after the other. @throws CliError `supervisor_failed` with what the first that fails says. */
export async function runAll(commands: readonly Command[]): Promise<void> {
  for (const command of commands) {
    const { ok, said } = await runCommand(command)
    if (ok || command.mayFail) continue
    throw new CliError(`${command.words.join(' ')} failed: ${said || 'it says nothing'}`, {
      code: 'supervisor_failed',
      exit: 'failure',
      nextSteps: ['memory daemon status'],
    })
  }
}

/** @throws CliError `supervisor_unavailable`: nothing was changed. */
export async function requireSupervisor({ name, probe }: Supervisor): Promise<void> {
  const { ok, said } = await runCommand(probe)
  if (ok) return
  throw new CliError(`${name} does not answer for this user: ${said || `${probe.words[0]} is missing`}`, {
    code: 'supervisor_unavailable',
    exit: 'unavailable',
    nextSteps: [
      'log in once with a session of your own (not by su or sudo), then try again',
      'memory daemon install --dry-run shows the file, for another supervisor',
    ],
  })
}

/** Variables of a terminal that a daemon started there would read, and one of a supervisor does not get. */
export function leftOutVariables(env: NodeJS.ProcessEnv): string[] {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith('SERVICE_') && value)
  return named
    .map(([name]) => name)
    .filter(name => !elsewhere.has(name))
    .sort()
}

/** A line for a person about each of them. */
export function leftOutNotes(env: NodeJS.ProcessEnv): string[] {
  return leftOutVariables(env).map(name => {
    const isAddress = name === 'SERVICE_PORT' || name === 'SERVICE_HOST'
    const instead = isAddress
      ? `memory config set daemon.${name.slice('SERVICE_'.length).toLowerCase()} ${env[name]}`
      : 'it may be a secret, and is not written into the file. Settings belong into agent.yaml'
    return `${name} of this terminal does not count there: ${instead}`
  })
}
