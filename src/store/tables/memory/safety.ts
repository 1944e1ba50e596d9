import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { MemoriesTable, Schema } from '../../schema/schema.js'
import { memoryBytes, withinBytes } from '../../sql/sized.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 1024 * 1024

/** What a row keeps of its verdict. */
export const verdictColumns = [
  'safety_status',
  'safety_reasons',
  'safety_rules',
  'safety_policy',
  'safety_scanned_at',
] as const
export type StoredVerdict = Pick<Selectable<MemoriesTable>, (typeof verdictColumns)[number]>

/** What another version of the policy judged; a literal, as in the condition of the index, and a range to enter it by. */
export function judgedOtherwise(policy: string): RawBuilder<SqlBool> {
  return sql`(safety_policy <> ${sql.lit(policy)} AND safety_policy >= '')`
}

/** Verdicts of the content safety policy (rules.md 1.6); soft-deleted rows count too, they may be recovered. */
export function safetyTable(db: Kysely<Schema>) {
  return {
    /** Ids of rows that another version of the policy judged; fewer than `limit` when their texts are long. */
    outdated: async (policy: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('memories')
        .select(['id', memoryBytes.as('bytes')])
        .where(judgedOtherwise(policy))
        .limit(limit)
        .execute()
      return withinBytes(rows, maxBytes)
    },
    /** Notes that a newer policy judges these rows the same; those it has judged meanwhile are left alone. */
    confirm: async (ids: readonly string[], policy: string, now: string): Promise<void> => {
      await db
        .updateTable('memories')
        .set({ safety_policy: policy, safety_scanned_at: now })
        .where('id', 'in', [...ids])
        .where('safety_policy', '!=', policy)
        .execute()
    },
    /** Stores another verdict: a change for readers, no mutation of the memory, so no new version. @returns false when the row was judged meanwhile or is gone. */
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
