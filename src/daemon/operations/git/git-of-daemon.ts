import type { GitStatus } from '../../../contract/operations/git.js'
import { type OneAtATime, oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import { createGit, type Git } from '../../platform/processes/git-program.js'

/** Git of one daemon: one command after the other, and how the last one ended. */
export interface GitOfDaemon {
  git: Git
  inLine: OneAtATime
  lastRun: GitStatus['lastRun']
  /** Begins a new interval of the timer, now. */
  restartTimer(): void
}

const kept = keptByDaemon<GitOfDaemon>()

/** Made when the daemon starts. @param signal ends what runs with it. */
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
