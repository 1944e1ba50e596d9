import type { Holder } from '../../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../../store/tables/memory/memories.js'
import { isVisibleTo } from '../../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { agentBoundary } from '../../../ground/visibility/boundary.js'
import type { Author } from '../../../ground/visibility/caller.js'
import { softDeleteAll } from '../../../memory/edit/remove.js'
import { holdersOf, transferHolders } from '../../../memory/records/holders.js'
import { changeMemory } from '../../../memory/records/write-change.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'

export type MergeDeps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId'>

/** A memory merged into another one. */
export interface Merge {
  keep: MemoryRow
  drop: MemoryRow
  why: 'same_text' | 'near'
}

/**
 * Chooses which of several rows with one text stays: pinned, then global, then not superseded, then most
 * holders, then oldest.
 */
export function rowToKeep(rows: readonly MemoryRow[]): MemoryRow | undefined {
  return [...rows].sort(
    (a, b) =>
      b.pinned - a.pinned ||
      Number(b.visibility === 'global') - Number(a.visibility === 'global') ||
      Number(a.superseded_by !== null) - Number(b.superseded_by !== null) ||
      b.further_holders - a.further_holders ||
      (a.created_at < b.created_at ? -1 : Number(a.created_at > b.created_at)) ||
      (a.id < b.id ? -1 : 1),
  )[0]
}

/**
 * Checks that everyone who finds `drop` could already find `keep`, so a merge reveals and hides nothing. Both
 * must be superseded by the same memory or by none.
 */
export async function mayMerge(
  { store }: Pick<Daemon, 'store'>,
  { keep, drop }: Pick<Merge, 'keep' | 'drop'>,
): Promise<boolean> {
  if (keep.id === drop.id || keep.superseded_by !== drop.superseded_by) return false
  const holders = await holdersOf(store.tables, keep)
  for (const { agent_id } of await holdersOf(store.tables, drop)) {
    const boundary = await agentBoundary({ store }, agent_id)
    if (!holders.some(holder => isVisibleTo(boundary, holder))) return false
  }
  return true
}

/**
 * Merges two memories in one transaction: holders and tags are combined, the higher importance wins, and
 * facts move along if the texts are equal. The merged memory can be recovered for 30 days.
 * @returns false when one of them changed since it was found.
 */
export async function merge(deps: MergeDeps, author: Author, { why, ...found }: Merge): Promise<boolean> {
  const isDone = await deps.store.transaction(async tables => {
    const rows = await tables.memories.load([found.keep.id, found.drop.id])
    const keep = rows.find(row => isSame(row, found.keep))
    const drop = rows.find(row => isSame(row, found.drop))
    if (!keep || !drop) return false
    const holders: readonly Holder[] = await holdersOf(tables, drop)
    await transferHolders(deps, tables, author, { row: keep, holders }, 'a duplicate was merged into it')
    if (why === 'same_text') {
      await tables.evidenceSpans.moveSource('memory', drop.id, keep.id)
      await tables.entities.moveMemory(drop.id, keep.id)
    }
    await copyFields(deps, tables, author, { keep, drop, why })
    await softDeleteAll(deps, tables, author, [drop], `duplicate of ${keep.id}`)
    if (why === 'same_text') await tables.duplicates.setHash(drop.id, keep.content_hash)
    return true
  })
  if (!isDone) return false
  deps.index.remove(found.drop.id)
  const [row] = await deps.store.tables.memories.load([found.keep.id])
  if (row) await deps.index.apply([row])
  return true
}

/** True while the fields that matter for merging are unchanged. */
function isSame(row: MemoryRow, found: MemoryRow): boolean {
  const fields = ['id', 'is_deleted', 'content', 'superseded_by', 'visibility', 'agent_id'] as const
  return fields.every(field => row[field] === found[field])
}

/** Copies tags, importance and the pin of the merged memory. */
async function copyFields(
  deps: MergeDeps,
  tables: Tables,
  author: Author,
  { keep, drop, why }: Merge,
): Promise<void> {
  const [row] = await tables.memories.load([keep.id])
  if (!row) return
  const tags = [...new Set([...row.tags.split(','), ...drop.tags.split(',')])].filter(Boolean).join(',')
  const importance = Math.max(row.importance, drop.importance)
  const pinned = Math.max(row.pinned, drop.pinned)
  if (tags === row.tags && importance === row.importance && pinned === row.pinned) return
  const fields = { tags, importance, pinned }
  const metadata = { merged: drop.id, why }
  await changeMemory(deps, tables, author, row, fields, {
    event: 'modified',
    reason: 'a duplicate was merged into it',
    metadata,
  })
}
