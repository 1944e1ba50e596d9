import type { Reply, Request } from '../../../contract/api.js'
import type { RecoveryStatus, Removal } from '../../../contract/memory/change.js'
import { clip } from '../../../lib/text/clip.js'
import { dayMs } from '../../../lib/time/time.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { settleValues } from '../../ground/entities/settle-values.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { answerIfDuplicate, changeMemory } from '../records/write-change.js'
import { findToChange } from './find-to-change.js'
import type { ChangeResult } from './remove.js'

/** Days in which a forgotten memory can be recovered (rules.md 8). */
export const retentionDays = 30

export interface Recovery {
  id: string
  reason: string
  ifVersion?: number | undefined
}

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/** Restores a soft-deleted memory (rules.md 4.5), unless another row has the same content. */
export async function recover(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  { id, reason, ifVersion }: Recovery,
): Promise<ChangeResult<RecoveryStatus>> {
  let restored: MemoryRow | undefined
  const result = await deps.store
    .transaction(async (tables): Promise<ChangeResult<RecoveryStatus>> => {
      const target = await findToChange(tables, caller, boundary, id)
      if ('refused' in target) return { id, status: target.refused }
      const { row } = target
      const refused = refusal(row, deps.clock(), ifVersion)
      if (refused) return { id, status: refused, currentVersion: row.version }
      const twin = await tables.memories.byHash(row.content_hash, boundary)
      if (twin) return { id, status: 'duplicate_content_hash', currentVersion: row.version }
      restored = await changeMemory(
        deps,
        tables,
        caller,
        row,
        // A person asked for it, so it does not expire again.
        { is_deleted: 0, deleted_at: null, expires_at: null },
        { event: 'recovered', reason, newContent: row.content },
      )
      if (!restored) return { id, status: 'version_conflict', currentVersion: row.version }
      await settleValues(deps, tables, { kind: 'memory', ids: [id] })
      return { id, status: 'recovered', currentVersion: row.version, newVersion: restored.version }
    })
    .catch(answerIfDuplicate<ChangeResult<RecoveryStatus>>({ id, status: 'duplicate_content_hash' }))
  if (restored) await deps.index.apply([restored])
  return result
}

function refusal(row: MemoryRow, now: Date, ifVersion: number | undefined): RecoveryStatus | undefined {
  if (row.is_deleted === 0) return 'not_deleted'
  if (ifVersion !== undefined && ifVersion !== row.version) return 'version_conflict'
  const age = now.getTime() - Date.parse(row.deleted_at ?? '')
  return age > retentionDays * dayMs ? 'retention_expired' : undefined
}

/** Recovers several memories, each in a transaction of its own (rules.md 4.5). */
export async function recoverAll(
  deps: Deps,
  caller: Caller,
  { ids, reason, ...named }: NonNullable<Request<'POST /api/memory/recover'>['body']>,
): Promise<Reply<'POST /api/memory/recover'>> {
  const boundary = await readBoundary(deps, caller, named)
  const results: Reply<'POST /api/memory/recover'>['results'] = []
  for (const id of new Set(ids)) {
    const { status } = await recover(deps, caller, boundary, { id, reason })
    results.push({ id, status })
  }
  const recovered = results.filter(({ status }) => status === 'recovered').length
  return { requested: results.length, recovered, results }
}

const shownContent = 200

/** Lists the requests with which the caller forgot memories that it can still recover, newest first. */
export async function listRemovals(
  deps: Deps,
  caller: Caller,
  { limit, ...named }: { limit: number; agentId?: string | undefined; agent_id?: string | undefined },
): Promise<Reply<'GET /api/memories/removals'>> {
  const since = new Date(deps.clock().getTime() - retentionDays * dayMs).toISOString()
  const rows = await deps.store.tables.history.removedBy(
    caller.actor,
    await readBoundary(deps, caller, named),
    since,
  )
  const removals = new Map<string, Removal>()
  for (const { request, at, reason, id, type, content } of rows) {
    const known = removals.get(request)
    const until = new Date(Date.parse(at) + retentionDays * dayMs).toISOString()
    const removal = known ?? { id: request, at, until, reason, memories: [] }
    removal.memories.push({ id, type, content: clip(content, shownContent) })
    // A memory is forgotten before the summaries that repeat it, which have a reason of their own.
    Object.assign(removal, { at, until, reason })
    removals.set(request, removal)
  }
  const newest = [...removals.values()].slice(0, limit)
  return {
    removals: newest.map(removal => ({ ...removal, memories: removal.memories.reverse() })),
    count: newest.length,
  }
}
