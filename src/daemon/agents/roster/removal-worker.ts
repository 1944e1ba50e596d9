import { isFrozen } from '../../ground/settings/frozen.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import type { RemovalDeps } from './removal.js'

/** Finishes removals that a kill, a stop or a freeze interrupted. */
export function createRemovalWorker(deps: RemovalDeps): Worker {
  return createOnePassWork({
    run: async signal => {
      for (const { id } of await deps.store.tables.agents.beingRemoved()) {
        if (signal.aborted || isFrozen(deps)) return
        const { finishRemoval } = await import('./remove-agent.js')
        const memories = await finishRemoval(deps, id, signal)
        deps.log.info({ memories }, 'agent removal finished')
      }
    },
    onError: error => deps.log.warn({ err: error }, 'agent removal failed; it resumes at the next start'),
  })
}
