import type { UpdateOutcome } from '../../../contract/operations/updates.js'
import { isNewer } from '../../../lib/workspace/version.js'
import { type QuietEnd, runExclusively, runQuietly } from '../../agents/programs/runs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { askNow } from './check.js'
import { updateLock } from './config.js'
import type { Release } from './find-release.js'
import { installBinary, readInstalledVersion } from './install-binary.js'
import { type Installation, ownInstallation } from './installation.js'
import { noteRecord, pendingVersion, UpdateFault } from './update-state.js'

type Deps = Pick<Daemon, 'store' | 'configuration' | 'environment' | 'paths' | 'version' | 'clock' | 'log'>

/**
 * Installs the channel's newest release the way this program was installed, and verifies that new starts run
 * exactly that version (operations.md 2.3). A failure is part of the answer.
 * @throws AppError `conflict` while another installation runs
 */
export function installLatest(deps: Deps, installation = ownInstallation(deps)): Promise<UpdateOutcome> {
  return runExclusively(deps, updateLock, async signal => {
    try {
      const release = await askNow(deps)
      if (release instanceof UpdateFault) throw release
      return await installRelease(deps, { installation, release, signal })
    } catch (error) {
      if (!(error instanceof UpdateFault)) throw error
      deps.log.warn({ code: error.code, reason: error.message }, 'update not installed')
      return failed(installation, error)
    }
  })
}

interface Install {
  installation: Installation
  release: Release
  signal: AbortSignal
}

async function installRelease(
  deps: Deps,
  { installation, release, signal }: Install,
): Promise<UpdateOutcome> {
  const { version } = release
  const said = { ...nothingDone(installation), success: true }
  if (!(await isNewer(version, deps.version)))
    return { ...said, message: `no update is needed: ${deps.version} is the newest version` }
  const { executable, method } = installation
  if ((await pendingVersion(deps)) === version) {
    const observed = await readInstalledVersion(deps, { executable, signal })
    if (observed.version === version)
      return { ...said, ...installed(version), message: `${version} is already installed; ${restartNote}` }
  }
  if (method !== 'binary' && !installation.command) {
    const command = installation.advice(version)
    const message = `${version} is available, but this copy can't update itself (${method}); run: ${command}`
    throw new UpdateFault('manual_install_required', message, { command })
  }
  const output = await runInstall(deps, { installation, release, signal })
  const observed = await readInstalledVersion(deps, { executable, signal })
  if (observed.version !== version) {
    const told = observed.version === null ? observed.problem : `it reports version ${observed.version}`
    const message = `${version} was installed, but ${executable} is not that version: ${told}`
    throw new UpdateFault('verification_failed', message, { output, observedVersion: observed.version })
  }
  noteRecord(deps, { pendingRestartVersion: version })
  deps.log.info({ version, method }, 'update installed; active after a restart')
  return { ...said, ...installed(version), output, message: `${version} is installed; ${restartNote}` }
}

const restartNote = 'a restart activates it: memory daemon restart'

async function runInstall(deps: Deps, { installation, release, signal }: Install): Promise<string> {
  if (installation.method !== 'binary')
    return installPackage(deps, { installation, version: release.version, signal })
  await installBinary(deps, { release, executable: installation.executable, signal })
  return ''
}

function installed(version: string) {
  return {
    installedVersion: version,
    restartRequired: true,
    activeExecutableVerified: true,
    observedVersion: version,
  }
}

function nothingDone({ method, executable }: Installation): UpdateOutcome {
  return {
    success: false,
    message: '',
    output: '',
    installedVersion: null,
    restartRequired: false,
    installMethod: method,
    activeExecutablePath: executable,
    activeExecutableVerified: false,
    observedVersion: null,
    errorCode: null,
    command: null,
  }
}

function failed(installation: Installation, fault: UpdateFault): UpdateOutcome {
  const { message, output, code, command, observedVersion } = fault
  return { ...nothingDone(installation), message, output, errorCode: code, command, observedVersion }
}

type PackageDeps = Pick<Daemon, 'paths' | 'log' | 'environment'>

const timeoutMs = 600_000

/** The package manager runs unattended, and must not send reports. */
const managerVariables = {
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  npm_config_yes: 'true',
}

/**
 * Runs the package manager that installed this program.
 * @returns its output. @throws UpdateFault `install_failed`
 */
async function installPackage(
  deps: PackageDeps,
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
  throw new UpdateFault(
    'install_failed',
    `${whyNotInstalled(end, command[0])}; by hand: ${command.join(' ')}`,
    {
      output: end.output,
    },
  )
}

/** Returns why a package manager installed nothing, in one sentence without its end. */
export function whyNotInstalled(
  { status, code, error = '', output, isMissing }: QuietEnd,
  program: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (status === 'timed_out') return `${program} did not finish within ${timeoutMs / 60_000} minutes`
  if (status === 'cancelled') return 'the daemon stopped during the installation'
  if (status === 'not_started')
    return isMissing
      ? `${program} is not on the PATH of the daemon`
      : `${program} could not be started: ${error}`
  if (/\bENOSPC\b/u.test(output)) return 'the disk is full'
  // Windows replaces no file that a program has open, and the daemon itself has the database driver open.
  if (platform === 'win32' && /\b(?:EACCES|EPERM|EBUSY)\b/u.test(output))
    return `${program} can't replace files in use: end the sessions of agents, then run memory daemon stop`
  if (/\b(?:EACCES|EPERM)\b/u.test(output))
    return `${program} may not write there: it belongs to another user`
  return `${program} failed with code ${code}`
}
