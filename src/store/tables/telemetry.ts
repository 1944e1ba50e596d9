import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../schema.js'
import type { TelemetryEventsTable } from '../transcript-schema.js'

/** Anonymous events (spec 3, 4.6 and 6): counts and durations, never texts, names or keys. */
export function telemetryTable(db: Kysely<Schema>) {
  return {
    add: async (event: Insertable<TelemetryEventsTable>): Promise<void> => {
      await db.insertInto('telemetry_events').values(event).execute()
    },
  }
}
