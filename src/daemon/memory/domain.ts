/**
 * The memory area: what happens to a memory from the save to the day it is forgotten.
 *
 * `remember/` saves, `recall/` finds and ranks, `edit/` changes and recovers, `forget/` removes, `records/`
 * reads rows and writes their history, `search/` looks up by words or similarity, `vectors/` makes missing
 * vectors. Requests come in through the routes below, and from sessions and knowledge as function calls.
 * Rows go to `src/store/tables/memory`, then to the index. Transcripts, documents and entities belong to
 * other areas; recall reads them through the ground floor and the tables.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import * as changes from '../../contract/memory/change.js'
import { feedback as feedbackEndpoint, judgeMemory as judgeEndpoint } from '../../contract/memory/feedback.js'
import * as memoryContract from '../../contract/memory/memory.js'
import * as notes from '../../contract/memory/native-note.js'
import * as records from '../../contract/memory/record.js'
import * as searchContract from '../../contract/memory/search.js'
import type { MemoryRow } from '../../store/tables/memory/memories.js'
import type { StoredVerdict } from '../../store/tables/memory/safety.js'
import { settleValues } from '../ground/entities/settle-values.js'
import { isFrozen } from '../ground/settings/pipeline-mode.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { createOnePassWork, type Worker } from '../platform/jobs/worker.js'
import { policyVersion } from '../safety/verdict-columns.js'
import { noteUnsupported } from './records/holders.js'
import { judgeMemory } from './records/judge-memory.js'

const batchSize = 50

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'log' | 'configuration'>

export const memory: Domain = {
  routes: lateRoutes(
    [
      memoryContract.remember,
      memoryContract.recall,
      feedbackEndpoint,
      judgeEndpoint,
      changes.forget,
      records.listMemories,
      records.countMemories,
      records.getMemory,
      records.memoryHistory,
      records.memoryLineage,
      notes.nativeNote,
      changes.modify,
      changes.patchMemory,
      changes.supersedeMemory,
      changes.tombstoneMemory,
      changes.recoverMemory,
      changes.recoverMemories,
      changes.listRemovals,
      changes.deleteMemory,
    ],
    () => import('./routes.js'),
  ),
  workers: [createSafetyRescan],
}

/** Searches with GET requests. */
export const search: Domain = {
  routes: lateRoutes(
    [searchContract.recallByGet, searchContract.searchMemories, searchContract.similarMemories],
    () => import('./search/routes.js'),
  ),
}

/**
 * Rescans rows judged with another policy version, in batches in the background (rules.md 1.6). The version
 * in each row marks progress, so a restart continues where it stopped.
 */
export function createSafetyRescan(deps: Deps): Worker {
  return createOnePassWork({
    run: signal => rescanMemories(deps, signal),
    onError: error => deps.log.error({ err: error }, 'safety rescan of memories failed'),
  })
}

/**
 * Resolves when every row has a verdict of the current policy, the signal is aborted, or writes are frozen.
 */
export async function rescanMemories(deps: Deps, signal: AbortSignal): Promise<void> {
  const total = { scanned: 0, changed: 0 }
  while (!signal.aborted && !isFrozen(deps)) {
    const ids = await deps.store.tables.safety.outdated(policyVersion, batchSize)
    if (ids.length === 0) break
    total.changed += await rescanBatch(deps, ids)
    total.scanned += ids.length
    await nextTurn()
  }
  if (total.scanned > 0)
    deps.log.info({ ...total, policy: policyVersion }, 'memories rescanned for the current safety policy')
}

/** @returns the number of rows with a different verdict. */
async function rescanBatch(deps: Deps, ids: readonly string[]): Promise<number> {
  const same: string[] = []
  const changed = new Map<string, StoredVerdict>()
  const hints = await deps.store.tables.hints.of(ids)
  for (const row of await deps.store.tables.memories.load(ids)) {
    const verdict = await judgeMemory(row, hints.get(row.id) ?? [], deps.clock().toISOString())
    if (isVerdictOf(row, verdict)) same.push(row.id)
    else changed.set(row.id, verdict)
    await nextTurn()
  }
  if (same.length > 0)
    // Losing this in a power cut only means another scan.
    await deps.store.write({ until: 'executed' }, ({ safety }) =>
      safety.confirm(same, policyVersion, deps.clock().toISOString()),
    )
  if (changed.size > 0) await judge(deps, changed)
  return changed.size
}

function isVerdictOf(row: MemoryRow, verdict: StoredVerdict): boolean {
  return (
    row.safety_status === verdict.safety_status &&
    row.safety_reasons === verdict.safety_reasons &&
    row.safety_rules === verdict.safety_rules
  )
}

/** A row changed during the scan was judged by its writer and keeps that verdict. */
async function judge(deps: Deps, verdicts: ReadonlyMap<string, StoredVerdict>): Promise<void> {
  const rows = await deps.store.transaction(async tables => {
    for (const [id, verdict] of verdicts)
      await tables.safety.judge(id, verdict, await tables.meta.nextChange())
    const ids = [...verdicts.keys()]
    const isClean = (id: string): boolean => verdicts.get(id)?.safety_status === 'clean'
    await settleValues(deps, tables, { kind: 'memory', ids: ids.filter(isClean) })
    const excluded = ids.filter(id => !isClean(id))
    if (excluded.length > 0) await noteUnsupported(deps, tables, excluded)
    return tables.memories.load(ids)
  })
  await deps.index.apply(rows)
}
