import type { Kysely, Selectable } from 'kysely'
import type { TelemetryCountsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'

export type Span = TelemetryCountsTable['span']
export type CountRow = Selectable<TelemetryCountsTable>

/** What events tell, counted by hour and day (telemetry.md 4). */
export function telemetryCountsTable(db: Kysely<Schema>) {
  return {
    /** Adds to counters; many of them a statement, since one each would cost more than all else of an event. */
    addAll: async (rows: readonly CountRow[]): Promise<void> => {
      if (rows.length === 0) return
      await db
        .insertInto('telemetry_counts')
        .values(rows)
        .onConflict(conflict =>
          conflict
            .columns(['span', 'period', 'counter'])
            .doUpdateSet(eb => ({ value: eb('telemetry_counts.value', '+', eb.ref('excluded.value')) })),
        )
        .execute()
    },
    /** The sum of each counter over the periods from one on. */
    sums: (span: Span, from: string): Promise<{ counter: string; sum: number }[]> =>
      db
        .selectFrom('telemetry_counts')
        .select(eb => ['counter', eb.fn.sum<number>('value').as('sum')])
        .where('span', '=', span)
        .where('period', '>=', from)
        .groupBy('counter')
        .execute(),
    /** Forgets periods before one. */
    forget: async (span: Span, before: string): Promise<void> => {
      await db.deleteFrom('telemetry_counts').where('span', '=', span).where('period', '<', before).execute()
    },
  }
}
