import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'

type UniqueColumn = 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'
export type ClaimingRow = Pick<MemoryRow, UniqueColumn | 'is_deleted'>

/** Hash space of memories shared with every agent. */
export const sharedSpace = ''

/** The unique keys of a row; a forgotten memory has none. */
export function claimsOf(row: ClaimingRow): string[] {
  return row.is_deleted === 1 ? [] : uniqueKeys(row)
}

/** The same while it is unknown whether the agent shares its hashes. */
export function possibleClaims(row: ClaimingRow): string[] {
  if (row.is_deleted === 1) return []
  return row.visibility === 'global' ? [...uniqueKeys(row), ...uniqueKeys(row, sharedSpace)] : uniqueKeys(row)
}

/** Keys that only one alive memory may have, as in the database's unique indexes. */
function uniqueKeys(row: Pick<MemoryRow, UniqueColumn>, space = row.hash_space): string[] {
  const { content_hash, idempotency_key, agent_id, visibility, scope } = row
  const hash = JSON.stringify([content_hash, space])
  return idempotency_key
    ? [hash, JSON.stringify([idempotency_key, agent_id, visibility, scope ?? ''])]
    : [hash]
}

/** Maps each key that these rows would need to the id of the stored memory that has it. */
export async function storedClaimants(
  { claimants }: Pick<Tables['transfer'], 'claimants'>,
  rows: readonly ClaimingRow[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const found = await claimants(
    rows.map(row => row.content_hash),
    rows.flatMap(row => row.idempotency_key ?? []),
  )
  return new Map(found.flatMap(claimant => uniqueKeys(claimant).map(key => [key, claimant.id] as const)))
}
