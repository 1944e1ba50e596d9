import { setTimeout as after } from 'node:timers/promises'
import type { SourceRecord } from '../../../../contract/knowledge/source-record.js'
import type { NamedAgent } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { findRowToChange } from './find-source.js'
import { kindOf } from './known-kinds.js'
import { toSource } from './run-pass.js'
import { purgesOf, runsOf, type SourceDeps } from './runs.js'
import { sourceRecordOf } from './source-record.js'

/** A caller waits so long for the purge; the rest goes on behind it. */
const waitMs = 2000

export interface RemovedSource {
  source: SourceRecord
  purged: number
  pending?: true
  cleanupPending?: true
}

/**
 * Removes a source: its tombstone first, then what it brought, in slices (sources.md#removing). Asked for again it goes
 * on with what is left. The place itself is not touched.
 */
export async function removeSource(
  deps: SourceDeps,
  caller: Caller,
  wanted: { id: string; named: NamedAgent | undefined },
): Promise<RemovedSource> {
  const { store, clock } = deps
  const row = await findRowToChange(deps, caller, wanted)
  const source = await sourceRecordOf(deps, row)
  if (row.removed_at === null) {
    const kind = kindOf(deps, row.kind)
    await store.transaction(async tables => {
      if (!(await tables.sources.bury(row.id, clock().toISOString()))) return
      if (kind?.onBury) await kind.onBury(deps, tables, toSource(kind, row))
    })
    await runsOf(deps).end(row.id, 'removed')
  }
  const timer = new AbortController()
  const late = after(waitMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  const end = await Promise.race([purgesOf(deps).purge(row.id), late])
  timer.abort()
  if (end?.isDone) return { source, purged: end.artifacts }
  const purged = end?.artifacts ?? (await store.tables.sources.load(row.id))?.purged ?? row.artifacts
  return { source, purged, pending: true, ...(end && !end.isClean && { cleanupPending: true as const }) }
}
