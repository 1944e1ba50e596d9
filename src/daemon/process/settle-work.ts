import type { Store } from '../../store/store.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { releaseAllLeases } from '../platform/jobs/leases.js'

async function isAlone({ tables: { nodes } }: Store): Promise<boolean> {
  return nodes.own === null || (await nodes.all()).every(({ id }) => id === nodes.own)
}

/** Finishes rows that ended daemons left; beside other daemons only those that name their daemon. */
export async function recoverRows(
  daemon: Daemon,
  domains: readonly Domain[],
  isAlone: boolean,
): Promise<void> {
  await daemon.store.tables.nodes.dropLost()
  for (const domain of domains) {
    await domain.recoverHeld?.(daemon)
    if (isAlone) await domain.recoverRows?.(daemon)
  }
}

/** Finishes work of the previous process; on a full disk this waits for space. */
export async function settleWork(daemon: Daemon, domains: readonly Domain[]): Promise<void> {
  try {
    await releaseAllLeases(daemon)
    for (const { recover } of domains) await recover?.(daemon)
    await recoverRows(daemon, domains, await isAlone(daemon.store))
  } catch (error) {
    if (!daemon.room.note(error)) throw error
  }
}
