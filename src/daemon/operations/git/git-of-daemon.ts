import type { GitStatus } from '../../../contract/operations/git.js'
import { type OneAtATime, oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { createGit, type Git } from '../../platform/processes/git-program.js'

/** Git of one daemon: commands run one after another; the last outcome is remembered. */
export interface GitOfDaemon {
  git: Git
  inLine: OneAtATime
  lastRun: GitStatus['lastRun']
  /** Starts a new timer interval now. */
  restartTimer(): void
}

const kept = createDaemonState<GitOfDaemon>()

/** @param signal ends running git commands */
export function openGit(daemon: Daemon, signal: AbortSignal, restartTimer: () => void): GitOfDaemon {
  return kept.keep(daemon, {
    git: createGit(daemon, signal),
    inLine: oneAtATime(),
    lastRun: null,
    restartTimer,
  })
}

/** @throws AppError `starting` before the daemon is ready. */
export function gitOf(daemon: Daemon): GitOfDaemon {
  return kept.of(daemon)
}
