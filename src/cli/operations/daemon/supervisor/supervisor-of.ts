import { existsSync, readFileSync } from 'node:fs'
import type { Machine } from '../../../sessions/connect/entries/machine.js'
import { CliError } from '../../../shell/cli-error.js'
import { type Command, runCommand } from './run-command.js'
import { ownMark, type Supervision, type Supervisor } from './supervisor.js'
import { launchdAgent, startupFolder, systemdUnit } from './supervisors.js'

/** Variables that the supervisor's file sets, and those that only other programs read. */
const irrelevantVariables = new Set([
  'SERVICE_WORKSPACE',
  ...['SERVICE_DAEMON_URL', 'SERVICE_API_KEY', 'SERVICE_TOKEN', 'SERVICE_NO_AUTOSTART'],
  ...['SERVICE_NO_HOOKS', 'SERVICE_BYPASS', 'SERVICE_PROJECT', 'SERVICE_PROMPT_SUBMIT_TIMEOUT'],
])

const supervisors: Partial<Record<NodeJS.Platform, (machine: Machine) => Supervisor>> = {
  linux: systemdUnit,
  darwin: launchdAgent,
  win32: startupFolder,
}

/** Returns true for the systems that start a program for their user. */
export function hasSupervisor(platform: NodeJS.Platform): boolean {
  return supervisors[platform] !== undefined
}

/** @throws CliError `not_supported` on systems other than Linux, macOS and Windows. */
export function supervisorOf(machine: Machine): Supervisor {
  const { platform } = machine
  const supervisor = supervisors[platform]
  if (supervisor) return supervisor(machine)
  throw new CliError(`no supported supervisor on ${platform}: nothing was changed`, {
    code: 'not_supported',
    exit: 'failure',
    nextSteps: ['run this with the supervisor of your system: memory daemon run --supervised'],
  })
}

/**
 * Returns the text of the supervisor's file; undefined if it is missing. @throws CliError `conflict` for a
 * foreign file.
 */
export function installedText({ file }: Pick<Supervisor, 'file'>): string | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  if (text.includes(ownMark)) return text
  throw new CliError(`${file} was not written by memory daemon install: nothing was changed`, {
    code: 'conflict',
    exit: 'refused',
    nextSteps: ['move the file away, then try again'],
  })
}

/** Returns the supervision of a workspace on this machine; undefined if none is installed. Never throws. */
export async function supervisionOf(machine: Machine): Promise<Supervision | undefined> {
  if (!hasSupervisor(machine.platform)) return undefined
  const supervisor = supervisorOf(machine)
  const { name, unit, file } = supervisor
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (text === undefined) return undefined
  return { name, unit, file, active: await supervisor.isActive(), current: text === supervisor.text }
}

/**
 * Runs commands one after another. @throws CliError `supervisor_failed` with the output of the first failure.
 */
export async function runAll(commands: readonly Command[]): Promise<void> {
  for (const command of commands) {
    const { ok, output } = await runCommand(command)
    if (ok || command.mayFail) continue
    throw new CliError(`${command.words.join(' ')} failed: ${output || 'no output'}`, {
      code: 'supervisor_failed',
      exit: 'failure',
      nextSteps: ['memory daemon status'],
    })
  }
}

/** @throws CliError `supervisor_unavailable`; nothing has been changed then. */
export async function requireSupervisor({ name, probe }: Supervisor): Promise<void> {
  const { ok, output } = await runCommand(probe)
  if (ok) return
  throw new CliError(`${name} is not available for this user: ${output || `${probe.words[0]} is missing`}`, {
    code: 'supervisor_unavailable',
    exit: 'unavailable',
    nextSteps: [
      'log in directly (not with su or sudo), then try again',
      'memory daemon install --dry-run   prints the file, for use with another supervisor',
    ],
  })
}

/**
 * Returns variables that a daemon started at this terminal would read, but a supervised one does not receive.
 */
export function leftOutVariables(env: NodeJS.ProcessEnv): string[] {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith('SERVICE_') && value)
  return named
    .map(([name]) => name)
    .filter(name => !irrelevantVariables.has(name))
    .sort()
}

/** Returns a note about each of these variables. */
export function leftOutNotes(env: NodeJS.ProcessEnv): string[] {
  return leftOutVariables(env).map(name => {
    const isAddress = name === 'SERVICE_PORT' || name === 'SERVICE_HOST'
    const instead = isAddress
      ? `memory config set daemon.${name.slice('SERVICE_'.length).toLowerCase()} ${env[name]}`
      : 'it may be a secret and is not written into the file. Put settings into agent.yaml'
    return `${name} is set here but not for the service: ${instead}`
  })
}
