import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { cleanOrphans as endpoint, ScopedReply } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import { keepReason, type OrphanSource, type RowKey } from '../../../store/tables/operations/orphans.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Operation, openOperation, saveOperation } from './run/operations.js'
import { JobBudget, type RepairRun } from './run/run-repair.js'
import { repairHolderCounts } from './vectors/repair-marks.js'

type Body = z.infer<typeof endpoint.body> & { agentId: string }
type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'hooksInFlight'>
type Counts = {
  processed: number
  removed: number
  skipped: number
  failed: number
  /** Orphaned rows of tables that are never cleaned. */
  left: Record<string, number>
}
type Cleaning = Operation<{ table: string | null; after: RowKey | null }, Counts>

/** Rows per statement. */
const pageSize = 500
/** Pages a job reads before it ends when it finds nothing. */
const pagesOfJob = 10

/**
 * Walks every table whose rows have owners, vectors first. Deletes orphaned rows, or counts them in tables
 * that keep theirs. Rows known to belong to another agent are skipped; rows of unknown agents count as the
 * default agent's. Each job commits its progress in the same transaction, so a kill loses neither.
 */
export async function cleanOrphans(daemon: Deps, run: RepairRun, body: Body): Promise<ScopedReply> {
  const { agentId, dryRun, maxBatches } = body
  const start = {
    place: { table: null, after: null },
    counts: { processed: 0, removed: 0, skipped: 0, failed: 0, left: {} },
  }
  const tables = await tablesInOrder(daemon)
  const operation: Cleaning = dryRun
    ? { id: '', status: 'running', error: null, ...start }
    : await openOperation(daemon, { action: run.action, scope: { agentId }, start: async () => start })
  const before = operation.counts.removed
  const jobs = dryRun ? Number.POSITIVE_INFINITY : maxBatches
  let hasFailed = false
  for (
    let job = 0;
    job < jobs && operation.status === 'running' && !run.signal.aborted && !hasFailed;
    job++
  ) {
    await daemon.hooksInFlight.quiet(run.signal)
    hasFailed = !(await oneJob(daemon, operation, tables, body))
    await nextTurn()
  }
  const isWhole = operation.status === 'complete'
  const recounted = isWhole ? await repairHolderCounts(daemon, run.signal, dryRun) : 0
  return cleanReply(run, body, operation, {
    affected: operation.counts.removed - before,
    hasFailed,
    recounted,
  })
}

async function tablesInOrder({ store }: Deps): Promise<OrphanSource[]> {
  const tables = await store.tables.orphans.tables()
  const isFirst = ({ table }: OrphanSource): boolean => table === 'memory_vectors'
  return [...tables.filter(isFirst), ...tables.filter(one => !isFirst(one))]
}

/** @returns false when the database rejected the deletion; the next call retries from the same position. */
async function oneJob(
  daemon: Deps,
  operation: Cleaning,
  tables: readonly OrphanSource[],
  { agentId, batchSize, maxVectorBytes, dryRun }: Body,
): Promise<boolean> {
  const { store } = daemon
  const budget = new JobBudget({ rows: batchSize, bytes: maxVectorBytes })
  for (let page = 0; page < pagesOfJob && operation.status === 'running' && !budget.isSpent; page++) {
    const owned = tables.find(({ table }) => table === operation.place.table) ?? tables[0]
    if (!owned) break
    const { orphans, seen, next } = await store.tables.orphans.look(
      owned.table,
      operation.place.after ?? undefined,
      pageSize,
    )
    const known = await store.tables.orphanRemoval.agentsOf(owned, orphans)
    const mine = known.filter(orphan => (orphan.agentId ?? defaultAgent) === agentId).map(({ key }) => key)
    const isKept = keepReason(owned.table) !== undefined
    const toDelete = isKept ? [] : mine
    const fitting = dryRun ? toDelete : toDelete.filter(() => budget.take())
    const isWhole = fitting.length === toDelete.length
    const place = isWhole
      ? nextPlace(tables, owned, next)
      : { table: owned.table, after: lastOf(fitting, operation) }
    try {
      await removeAndSave(daemon, operation, { owned, keys: fitting, place, dryRun })
    } catch (error) {
      operation.counts.failed += fitting.length
      if (isRejectedStatement(error)) return false
      throw error
    }
    operation.counts.processed += isWhole ? seen : fitting.length
    if (isWhole) operation.counts.skipped += known.length - mine.length
    if (isKept && mine.length > 0) countKept(operation, owned.table, mine.length)
    await nextTurn()
  }
  return true
}

function countKept({ counts }: Cleaning, table: string, rows: number): void {
  counts.left = { ...counts.left, [table]: (counts.left[table] ?? 0) + rows }
}

/** The database rejected a statement, so the rows are unchanged. */
function isRejectedStatement(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_')
}

function lastOf(keys: readonly RowKey[], { place }: Cleaning): RowKey | null {
  return keys.at(-1) ?? place.after
}

function nextPlace(
  tables: readonly OrphanSource[],
  owned: OrphanSource,
  next: RowKey | undefined,
): Cleaning['place'] | undefined {
  if (next) return { table: owned.table, after: next }
  const following = tables[tables.indexOf(owned) + 1]
  return following && { table: following.table, after: null }
}

interface Removal {
  owned: OrphanSource
  keys: readonly RowKey[]
  /** Undefined at the end of all tables. */
  place: Cleaning['place'] | undefined
  dryRun: boolean
}

async function removeAndSave(
  daemon: Deps,
  operation: Cleaning,
  { owned, keys, place, dryRun }: Removal,
): Promise<void> {
  const after: Cleaning = {
    ...operation,
    counts: { ...operation.counts },
    ...(place ? { place } : { status: 'complete' as const }),
  }
  if (dryRun) after.counts.removed += keys.length
  else if (keys.length === 0)
    await daemon.store.write({ until: 'executed' }, tables => saveOperation(tables, daemon, after))
  else
    after.counts = await daemon.store.transaction(async tables => {
      const removed = operation.counts.removed + (await tables.orphanRemoval.drop(owned, keys))
      const counts = { ...operation.counts, removed }
      await saveOperation(tables, daemon, { ...after, counts })
      return counts
    })
  Object.assign(operation, after)
}

function cleanReply(
  { action }: RepairRun,
  { agentId, dryRun }: Body,
  { id, status, place, counts }: Cleaning,
  { affected, hasFailed, recounted }: { affected: number; hasFailed: boolean; recounted: number },
): ScopedReply {
  const isWhole = status === 'complete'
  const what = countOf(affected, 'orphaned row')
  const left = Object.entries(counts.left).map(([table, rows]) => ({ table, rows, why: keepReason(table) }))
  const rest = hasFailed
    ? 'the database rejected some deletions, call again to continue'
    : 'call again to continue'
  return {
    action,
    success: true,
    affected,
    message: [
      `${what} ${dryRun ? 'would be deleted' : 'deleted'}`,
      ...left.map(({ table, rows, why }) => `kept: ${countOf(rows, 'row')} of ${table} (${why})`),
      ...(isWhole ? [] : [rest]),
    ].join('; '),
    operation: 'clean-orphans',
    agentId,
    checkpointId: dryRun ? null : id,
    phase: isWhole ? 'done' : (place.table ?? 'memory_vectors'),
    status: isWhole ? 'complete' : 'running',
    processed: counts.processed,
    skipped: counts.skipped,
    failed: counts.failed,
    remaining: isWhole ? 0 : null,
    remainingStatus: isWhole ? 'exact' : 'unknown',
    details: { removed: counts.removed, recounted, left },
  }
}
