import { setImmediate as nextTurn } from 'node:timers/promises'
import { isFrozen } from '../../ground/settings/frozen.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createOnePassWork, type Worker } from '../../platform/jobs/worker.js'
import { scanContentInSlices } from '../../safety/late-scan.js'
import { policyVersion } from '../../safety/policy-version.js'

const batchSize = 50

type Deps = Pick<Daemon, 'store' | 'configuration' | 'log'>

/** Rescans nodes judged with another policy version, with lower priority than requests (rules.md 1.6). */
export function createNodeRescan(deps: Deps): Worker {
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
