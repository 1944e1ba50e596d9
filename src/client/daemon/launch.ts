import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { execa } from 'execa'
import daemonEnvironment from '../../../bin/daemon-environment.json' with { type: 'json' }
import { packageFile } from '../../lib/files/package-root.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'

/** A daemon process that was started and may still fail. */
export interface Launched {
  pid: number
  /** Its exit code once it ended, undefined while it runs; -1 when a signal or the system ended it. */
  exitCode: () => number | undefined
}

/**
 * Starts the daemon of a workspace detached from this process; its output goes to the launch log, which holds
 * one start only. @param daemonFlags flags of the daemon process.
 * @throws when the process cannot be created at all.
 */
export function launch(paths: WorkspacePaths, daemonFlags: readonly string[] = []): Launched {
  mkdirSync(paths.logsDir, { recursive: true, mode: 0o700 })
  // execa's types know the numbers 3 to 9 only; any descriptor works.
  const log = openSync(paths.launchLog, 'w', 0o600) as 3
  const child = execa(process.execPath, [packageFile('bin', 'daemon.js'), ...daemonFlags], {
    // Not the caller's folder: a daemon would keep it from being removed or unmounted.
    cwd: paths.root,
    // What the caller says of it himself stands.
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

/** The end of the launch log, without blank lines; empty when there is none. */
export function launchLogTail(paths: WorkspacePaths): string[] {
  try {
    const lines = readFileSync(paths.launchLog, 'utf8').split('\n')
    return lines.filter(line => line.trim() !== '').slice(-tailLines)
  } catch {
    return []
  }
}
