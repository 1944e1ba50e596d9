import { dayMs } from '../../../../lib/time/time.js'
import type { RecallSession } from '../../../../store/tables/memory/recall-ledger.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { RecallLedger } from '../search/candidates.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

/** Days that a session's ledger is kept after its last recall. */
const keptDays = 7
/** Most ledgers purged by one recall. */
const purgedAtOnce = 20

export interface Claim {
  /** Ids that the session had not been shown in this epoch. */
  fresh: ReadonlySet<string>
  epoch: number
}

export async function readLedger({ store }: Deps, session: RecallSession): Promise<RecallLedger> {
  const rows = await store.tables.recallLedger.recalledIn(session)
  return {
    session,
    recalled: new Set(rows.filter(({ current }) => current).map(({ id }) => id)),
    ratings: new Map(rows.flatMap(({ id, rating }) => (rating === null ? [] : [[id, rating] as const]))),
  }
}

/**
 * Records that a session is shown rows.
 * @returns the rows not shown before in this epoch; of two concurrent recalls only one gets a row. Not synced
 * to disk, since showing a row twice does no harm.
 */
export async function claimIds(
  { store, clock }: Deps,
  session: RecallSession,
  ids: readonly string[],
): Promise<Claim> {
  const now = clock()
  return store.write({ until: 'executed' }, async ({ recallLedger }) => {
    const before = new Date(now.getTime() - keptDays * dayMs).toISOString()
    await recallLedger.purge(before, purgedAtOnce)
    const epoch = await recallLedger.use(session, now.toISOString())
    return { fresh: new Set(await recallLedger.claim(session, epoch, ids)), epoch }
  })
}

/**
 * Records that a hook shows rows to a session, before the reply, so that a concurrent hook of the session
 * gets none of them. A failure of the ledger does not fail the hook.
 * @returns the rows not shown before
 */
export async function claimFresh(
  deps: Deps & Pick<Daemon, 'log'>,
  session: RecallSession,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  try {
    return (await claimIds(deps, session, ids)).fresh
  } catch (error) {
    deps.log.warn({ err: error }, 'rows shown to a session not recorded')
    return new Set(ids)
  }
}

/**
 * Starts the next context epoch of a session. Its context no longer contains the rows shown before, so recall
 * returns them again (recall.md 4.9 and rules.md 4.10).
 * @returns the number of the new epoch.
 */
export async function advanceEpoch(
  { store, clock }: Deps,
  agentId: string,
  sessionKey: string,
): Promise<number> {
  const now = clock().toISOString()
  return store.transaction(({ recallLedger }) => recallLedger.advance({ agentId, sessionKey }, now))
}
