import type { Insertable, Kysely, Selectable } from 'kysely'
import type { InferenceUsageTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'

export type InferenceUsage = Selectable<InferenceUsageTable>
/** What a question adds to the counts of its day; counted tokens may be taken back. */
export type UsageChange = Omit<Insertable<InferenceUsageTable>, 'day' | 'purpose'>

/** Days that are kept: for a look back, no limit needs more than one. */
const keptDays = 90

/** Counts of what was asked of a language model; three rows a day at most. */
export function inferenceUsageTable(db: Kysely<Schema>) {
  return {
    of: (day: string): Promise<InferenceUsage[]> =>
      db.selectFrom('inference_usage').selectAll().where('day', '=', day).execute(),
    /** Counts tokens ahead unless the day has no room for them. @returns whether it had. */
    reserve: async (day: string, purpose: string, tokens: number, limit: number): Promise<boolean> => {
      if (tokens > limit) return false
      const row = { day, purpose, ...none, counted_tokens: tokens }
      const reserved = await db
        .insertInto('inference_usage')
        .values(row)
        .onConflict(conflict =>
          conflict
            .columns(['day', 'purpose'])
            .doUpdateSet(eb => ({ counted_tokens: eb('inference_usage.counted_tokens', '+', tokens) }))
            .where('inference_usage.counted_tokens', '<=', limit - tokens),
        )
        .returning('counted_tokens')
        .executeTakeFirst()
      return reserved !== undefined
    },
    /** Adds to the counts of a day on which something was reserved. */
    add: async (day: string, purpose: string, change: UsageChange): Promise<void> => {
      await db
        .updateTable('inference_usage')
        .set(eb => ({
          calls: eb('calls', '+', change.calls),
          failures: eb('failures', '+', change.failures),
          input_tokens: eb('input_tokens', '+', change.input_tokens),
          output_tokens: eb('output_tokens', '+', change.output_tokens),
          counted_tokens: eb('counted_tokens', '+', change.counted_tokens),
          cost: eb('cost', '+', change.cost),
          unpriced_calls: eb('unpriced_calls', '+', change.unpriced_calls),
        }))
        .where('day', '=', day)
        .where('purpose', '=', purpose)
        .execute()
    },
    /** Deletes what is older than `keptDays`. @param now ISO 8601 */
    forgetOld: async (now: string): Promise<void> => {
      const first = new Date(Date.parse(now) - keptDays * 86_400_000).toISOString().slice(0, 10)
      await db.deleteFrom('inference_usage').where('day', '<', first).execute()
    },
  }
}

const none: UsageChange = {
  calls: 0,
  failures: 0,
  input_tokens: 0,
  output_tokens: 0,
  counted_tokens: 0,
  cost: 0,
  unpriced_calls: 0,
}
