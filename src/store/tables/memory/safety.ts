import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { memoryBytes, withinBytes } from '../../sql/sized.js'

/** Bytes of text per batch, because a batch is in memory at once. */
const maxBytes = 1024 * 1024

/** Columns of the safety verdict. */
export const verdictColumns = [
  'safety_status',
  'safety_reasons',
  'safety_rules',
  'safety_policy',
  'safety_scanned_at',
] as const
export type StoredVerdict = Pick<Selectable<MemoriesTable>, (typeof verdictColumns)[number]>

/**
 * Matches rows judged with another version of the policy: a literal for the partial index, and a range to use
 * it.
 */
export function hasOutdatedVerdict(policy: string): RawBuilder<SqlBool> {
  return sql`(safety_policy <> ${sql.lit(policy)} AND safety_policy >= '')`
}

/** Verdicts of the content safety policy (rules.md 1.6), also of forgotten rows, as they may be recovered. */
export function safetyTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns ids of rows judged with another version of the policy; fewer than `limit` when their texts are
     * long.
     */
    outdated: async (policy: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('memories')
        .select(['id', memoryBytes.as('bytes')])
        .where(hasOutdatedVerdict(policy))
        .limit(limit)
        .execute()
      return withinBytes(rows, maxBytes)
    },
    /**
     * Records that the verdicts are the same under a newer policy; rows it judged in between are unchanged.
     */
    confirm: async (ids: readonly string[], policy: string, now: string): Promise<void> => {
      await db
        .updateTable('memories')
        .set({ safety_policy: policy, safety_scanned_at: now })
        .where('id', 'in', [...ids])
        .where('safety_policy', '!=', policy)
        .execute()
    },
    /**
     * Saves a new verdict: a change for readers, but not a new version.
     * @returns false when the row was judged in between or is gone.
     */
    judge: async (id: string, verdict: StoredVerdict, change: number): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('memories')
        .set({ ...verdict, change })
        .where('id', '=', id)
        .where('safety_policy', '!=', verdict.safety_policy)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}
