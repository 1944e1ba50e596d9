import type { GitOutcome } from '../../../contract/operations/git.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault } from '../../platform/processes/git-program.js'
import { runRecoverably } from './interrupted.js'
import { isBehind, pullChanges, pushChanges } from './pull-and-push.js'
import { commitChanges, gitOf, openRepository, type Repository } from './repository.js'

export type Action = 'commit' | 'pull' | 'push' | 'sync'

/** Pushes tried while others push at the same time. */
const maxPushes = 3

/**
 * Runs one git action after any running one; a failure is part of the answer. An interrupted earlier action
 * is finished first (operations.md 1.6).
 */
export async function runAction(daemon: Daemon, action: Action): Promise<GitOutcome> {
  const state = gitOf(daemon)
  return state.inLine(async () => {
    const done: string[] = []
    const outcome = await attempt(done, () => perform(daemon, state.git, action, done))
    state.lastRun = {
      action,
      at: daemon.clock().toISOString(),
      success: outcome.success,
      error: outcome.error,
    }
    return outcome
  })
}

/** Runs git work and turns a git failure into an outcome. @throws errors that don't come from git. */
export async function attempt(done: string[], work: () => Promise<void>): Promise<GitOutcome> {
  try {
    await work()
    return { success: true, output: done.join('\n'), error: null }
  } catch (error) {
    if (!(error instanceof GitFault)) throw error
    return { success: false, output: done.join('\n'), error: error.message }
  }
}

async function perform(daemon: Daemon, git: Git, action: Action, done: string[]): Promise<void> {
  const repository = await openRepository(daemon, git)
  await runRecoverably(daemon, repository, async () => {
    if (action === 'commit' || action === 'sync')
      done.push((await commitChanges(repository)) ?? 'nothing to commit')
    if (action === 'pull') done.push(await pullChanges(daemon, repository))
    if (action === 'push') done.push(await pushChanges(repository))
    if (action === 'sync') await exchange(daemon, repository, done)
  })
}

/** Pulls and pushes, repeated when somebody else pushed in between. */
async function exchange(daemon: Daemon, repository: Repository, done: string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    done.push(await pullChanges(daemon, repository))
    try {
      done.push(await pushChanges(repository))
      return
    } catch (error) {
      if (!(error instanceof GitFault && isBehind(error)) || tries === maxPushes) throw error
    }
  }
}
