import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { TelemetryEventsTable } from '../../schema/transcript-schema.js'

/** Anonymous events (rules.md 6): counts and durations, never texts, names or keys. */
export function telemetryTable(db: Kysely<Schema>) {
  return {
    add: async (event: Insertable<TelemetryEventsTable>): Promise<void> => {
      await db.insertInto('telemetry_events').values(event).execute()
    },
    /** Deletes the oldest events from before the given time, at most `limit`. @returns how many went. */
    purge: async (before: string, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('telemetry_events')
        .where('id', 'in', eb =>
          eb.selectFrom('telemetry_events').select('id').where('at', '<', before).orderBy('at').limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
