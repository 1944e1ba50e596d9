import { type QuietEnd, runQuietly } from '../../agents/programs/run-quietly.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Installation } from './installation.js'
import { UpdateFault } from './update-fault.js'

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

const timeoutMs = 600_000

/** Nobody is there to be asked, and what is installed is nobody else's business. */
const managerVariables = {
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  npm_config_yes: 'true',
}

/**
 * Has the package manager that installed this program install a version of it.
 * @returns what it wrote. @throws UpdateFault `install_failed`
 */
export async function installPackage(
  deps: Deps,
  { installation, version, signal }: { installation: Installation; version: string; signal: AbortSignal },
): Promise<string> {
  const command = installation.command?.(version)
  if (!command) throw new UpdateFault('manual_install_required', `run: ${installation.advice(version)}`)
  const end = await runQuietly(deps, {
    command,
    cwd: installation.cwd,
    timeoutMs,
    signal,
    env: managerVariables,
  })
  if (end.status === 'exited' && end.code === 0) return end.output
  throw new UpdateFault('install_failed', `${whyNot(end, command[0])}; by hand: ${command.join(' ')}`, {
    output: end.output,
  })
}

function whyNot({ status, code, error = '', output, isMissing }: QuietEnd, program: string): string {
  if (status === 'timed_out') return `${program} was not done after ${timeoutMs / 60_000} minutes`
  if (status === 'cancelled') return 'the daemon stopped during the installation'
  if (status === 'not_started')
    return isMissing
      ? `${program} is not on the PATH of the daemon`
      : `${program} could not be started: ${error}`
  if (/\bENOSPC\b/u.test(output)) return 'the disk is full'
  if (/\b(?:EACCES|EPERM)\b/u.test(output))
    return `${program} may not write there: it belongs to another user`
  return `${program} failed with code ${code}`
}
