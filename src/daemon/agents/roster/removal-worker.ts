import { isFrozen } from '../../ground/settings/frozen.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import type { RemovalDeps } from './removal.js'

/** Finishes what a kill, a stop or a freeze broke off. */
export function createRemovalWorker(deps: RemovalDeps): Worker {
  return createOnePassWork({
    run: async signal => {
      for (const { id } of await deps.store.tables.agents.beingRemoved()) {
        if (signal.aborted || isFrozen(deps)) return
        const { finishRemoval } = await import('./remove-agent.js')
        const memories = await finishRemoval(deps, id, signal)
        deps.log.info({ memories }, 'the removal of an agent was finished')
      }
    },
    onError: error => deps.log.warn({ err: error }, 'the removal of an agent was not finished'),
  })
}
