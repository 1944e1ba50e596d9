import type { RememberBody } from '../../../contract/memory/memory.js'
import { dayMs } from '../../../lib/time/time.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { changeMemory } from '../records/write-change.js'

/**
 * Returns when a new memory expires (rules.md 1.4.1): as the save says, else by its type in `memory.expiry`.
 * A save by a person, without a harness, has no expiry by type. A pinned memory never expires.
 */
export function expiryOf(
  { clock, configuration }: Pick<Daemon, 'clock' | 'configuration'>,
  caller: Caller,
  { expiresAt }: RememberBody,
  { type, pinned }: Pick<MemoryRow, 'type' | 'pinned'>,
): string | null {
  if (pinned === 1) return null
  if (expiresAt) return expiresAt
  if (caller.harness === undefined) return null
  const wanted = configuration().settings.memory.expiry[type as keyof object] ?? 'never'
  return wanted === 'never'
    ? null
    : new Date(clock().getTime() + Number.parseInt(wanted, 10) * dayMs).toISOString()
}

/** Lets a memory that is saved again live as long as the new save says, if that is longer. */
export async function renewExpiry(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  caller: Caller,
  known: MemoryRow,
  { expires_at }: Pick<MemoryRow, 'expires_at'>,
): Promise<MemoryRow> {
  if (known.expires_at === null || (expires_at !== null && expires_at <= known.expires_at)) return known
  const metadata = { before: { expires_at: known.expires_at }, after: { expires_at } }
  const change = { event: 'modified' as const, reason: 'saved again', metadata }
  return (await changeMemory(deps, tables, caller, known, { expires_at }, change)) ?? known
}
