import { setImmediate as nextTurn } from 'node:timers/promises'
import { policyVersion, scanContentInSlices } from '../../ground/safety/scan.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

const batchSize = 50

/** Scans nodes that another version of the policy judged, behind every caller (spec 1, 1.6). */
export async function rescanNodes(
  deps: Pick<Daemon, 'store' | 'configuration'>,
  stopped: () => boolean,
): Promise<void> {
  const { temporal } = deps.store.tables
  while (!stopped() && !isFrozen(deps)) {
    const nodes = await temporal.outdated(policyVersion, batchSize)
    if (nodes.length === 0) return
    for (const node of nodes) {
      const { status } = await scanContentInSlices(node.content)
      // Losing this in a power cut only means to scan again.
      await deps.store.bookkeeping(tables => tables.temporal.judge(node, status, policyVersion))
      await nextTurn()
    }
  }
}
