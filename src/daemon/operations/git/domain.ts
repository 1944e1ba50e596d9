import * as contract from '../../../contract/operations/git.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork, isPast } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { isRepository, openGit } from './repository.js'

/** The workspace as a git repository: settings, texts, skills and transcripts (operations.md 1). */
export const git: Domain = {
  routes: lateRoutes(
    [
      contract.gitStatus,
      contract.gitPull,
      contract.gitPush,
      contract.gitSync,
      contract.gitInit,
      contract.getGitConfig,
      contract.setGitConfig,
      contract.readWaitingSettings,
      contract.decideWaitingSettings,
    ],
    () => import('./routes.js'),
  ),
  workers: [createGitWorker],
}

/** Commits and syncs on a timer, as the settings say (operations.md 1.2). */
function createGitWorker(daemon: Daemon): Worker {
  const life = new AbortController()
  let lookedAt: number | undefined
  const { inLine } = openGit(daemon, life.signal, () => {
    lookedAt = undefined
    periodic.wake()
  })
  const periodic = createPeriodicWork({
    run: async () => {
      const { autoCommit, autoSync, syncInterval } = daemon.configuration().settings.git
      if (!(autoCommit || autoSync) || !isRepository(daemon)) return
      const now = daemon.clock()
      if (!isPast(lookedAt, syncInterval * 1000, now)) return
      lookedAt = now.getTime()
      const { runAction } = await import('./run-action.js')
      const { success, error } = await runAction(daemon, autoSync ? 'sync' : 'commit')
      if (!success) daemon.log.warn({ reason: error }, 'workspace commit or sync failed')
    },
    onError: error => daemon.log.error({ err: error }, 'git failed'),
  })
  return {
    start: periodic.start,
    wake: periodic.wake,
    close: async () => {
      life.abort()
      await periodic.close()
      await inLine(async () => undefined)
    },
  }
}
