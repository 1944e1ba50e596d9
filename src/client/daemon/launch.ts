import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { execa } from 'execa'
import daemonEnvironment from '../../../bin/daemon-environment.json' with { type: 'json' }
import { ownNode, packageFile } from '../../lib/files/package-root.js'
import { type DriverProblem, driverFaultIn } from '../../lib/workspace/driver-fault.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'

/** A started daemon process, which may still fail. */
export interface DaemonProcess {
  pid: number
  /** Exit code once the process has ended, undefined while it runs; -1 if a signal or the system ended it. */
  exitCode: () => number | undefined
}

/**
 * Starts the daemon of a workspace detached from this process, with the Node that installed this package: the
 * database driver was built for it. Its output replaces the launch log.
 * @param daemonFlags flags of the daemon process.
 * @throws if the process cannot be created.
 */
export function launch(paths: WorkspacePaths, daemonFlags: readonly string[] = []): DaemonProcess {
  mkdirSync(paths.logsDir, { recursive: true, mode: 0o700 })
  // execa's types know the numbers 3 to 9 only; any descriptor works.
  const log = openSync(paths.launchLog, 'w', 0o600) as 3
  const child = execa(ownNode(), [packageFile('bin', 'daemon.js'), ...daemonFlags], {
    // The caller's folder could not be removed or unmounted while a daemon runs in it.
    cwd: paths.root,
    // Variables set by the caller take precedence.
    env: { ...daemonEnvironment, ...process.env, SERVICE_WORKSPACE: paths.root },
    stdio: ['ignore', log, log],
    detached: true,
    cleanup: false,
    windowsHide: true,
    reject: false,
  })
  closeSync(log)
  child.unref()
  const ended: { code?: number } = {}
  child.then(result => {
    ended.code = result.exitCode ?? -1
  })
  return { pid: child.pid ?? 0, exitCode: () => ended.code }
}

const tailLines = 12

/** Returns the last lines of the launch log without blank ones; empty if the log is missing. */
export function launchLogTail(paths: WorkspacePaths): string[] {
  try {
    const lines = readFileSync(paths.launchLog, 'utf8').split('\n')
    return lines.filter(line => line.trim() !== '').slice(-tailLines)
  } catch {
    return []
  }
}

/**
 * Loads the database driver in a process of its own, with the Node and the program of a daemon.
 * @returns a description of it, or why none loads.
 */
export async function checkDriver({ root }: Pick<WorkspacePaths, 'root'>): Promise<string | DriverProblem> {
  const node = ownNode()
  const { exitCode, stdout, stderr, message } = await execa(
    node,
    [packageFile('bin', 'daemon.js'), '--check-driver'],
    {
      env: { SERVICE_WORKSPACE: root, SERVICE_INDEX_THREAD: 'never' },
      timeout: 30_000,
      reject: false,
      windowsHide: true,
    },
  )
  if (exitCode === 0) return stdout
  const problem = driverFaultIn(stderr)
  return problem ?? { message: stderr || message || `${node} does not start`, nextStep: 'memory daemon run' }
}
