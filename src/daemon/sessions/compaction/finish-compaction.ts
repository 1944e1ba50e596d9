import { join } from 'node:path'
import { createNote } from '../../../store/files/note-file.js'
import type { CompactionRow } from '../../../store/tables/sessions/compactions.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log' | 'paths'>

/** Compactions finished in one pass. */
const batch = 500

/**
 * Finishes a compaction: writes its file once and begins the next context epoch of its session. Each step may
 * be repeated. If the epoch can't advance, the compaction stays open for the next start; its summary is safe.
 */
export async function finishCompaction(
  deps: Deps,
  nodeId: string,
): Promise<{ contextEpoch: number | null; path: string }> {
  const { compactions } = deps.store.tables
  const row = (await compactions.find(nodeId)) as CompactionRow
  // The name contains session and time, so an existing file belongs to this compaction.
  if (row.document !== null) await createNote(join(deps.paths.root, row.path), row.document)
  const contextEpoch = await epochOf(deps, row)
  if (row.document !== null && (contextEpoch !== null || row.session_key === ''))
    await compactions.finish(nodeId)
  return { contextEpoch, path: row.path }
}

/** Finishes compactions left open by an earlier process, unless writes are frozen. */
export async function finishCompactions(deps: Deps & Pick<Daemon, 'configuration'>): Promise<void> {
  if (isFrozen(deps)) return
  for (const nodeId of await deps.store.tables.compactions.open(batch))
    try {
      await finishCompaction(deps, nodeId)
    } catch (error) {
      deps.log.warn({ err: error }, 'compaction not finished')
    }
}

/**
 * Rows shown before are no longer in the session's context (recall.md 4.9).
 * @returns the epoch begun by this compaction, now or earlier; null on failure or without a session.
 */
async function epochOf(deps: Deps, row: CompactionRow): Promise<number | null> {
  if (row.session_key === '' || row.context_epoch !== null) return row.context_epoch
  const session = { agentId: row.agent_id, sessionKey: row.session_key }
  try {
    return await deps.store.transaction(async tables => {
      const known = (await tables.compactions.find(row.node_id))?.context_epoch
      if (known != null) return known
      const epoch = await tables.recallLedger.advance(session, deps.clock().toISOString())
      await tables.compactions.noteEpoch(row.node_id, epoch)
      return epoch
    })
  } catch (error) {
    deps.log.warn({ err: error }, 'context epoch not advanced')
    return null
  }
}
