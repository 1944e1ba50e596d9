import { setImmediate as nextTurn } from 'node:timers/promises'
import * as contract from '../../../contract/sessions/summaries.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import { policyVersion } from '../../safety/verdict-columns.js'

const batchSize = 50

type Deps = Pick<Daemon, 'store' | 'configuration' | 'log'>

/** Summaries of sessions with their sources (rules.md 4.11). */
export const summaries: Domain = {
  routes: lateRoutes([contract.listSummaries, contract.expandSummary], () => import('./routes.js')),
  workers: [createNodeRescan],
}

/** Rescans nodes judged with another policy version, with lower priority than requests (rules.md 1.6). */
function createNodeRescan(deps: Deps): Worker {
  return createOnePassWork({
    run: signal => rescanNodes(deps, signal),
    onError: error => deps.log.error({ err: error }, 'safety rescan of summaries failed'),
  })
}

async function rescanNodes(deps: Deps, signal: AbortSignal): Promise<void> {
  const { summaryNodes } = deps.store.tables
  while (!signal.aborted && !isFrozen(deps)) {
    const nodes = await summaryNodes.outdated(policyVersion, batchSize)
    if (nodes.length === 0) return
    for (const node of nodes) {
      const { status } = await scanContentInSlices(node.content)
      // Losing this in a power cut only means another scan.
      await deps.store.write({ until: 'executed' }, tables =>
        tables.summaryNodes.judge(node, status, policyVersion),
      )
      await nextTurn()
    }
  }
}
