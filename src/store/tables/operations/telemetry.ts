import type { Insertable, Kysely } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { TelemetryEventsTable } from '../../schema/transcript-schema.js'

export interface EventFilter {
  event?: string | undefined
  /** ISO 8601, both inclusive. */
  since?: string | undefined
  until?: string | undefined
}

/** Anonymous events (rules.md 6): counts and durations, never texts, names or keys. */
export function telemetryTable(db: Kysely<Schema>) {
  return {
    add: async (event: Insertable<TelemetryEventsTable>): Promise<void> => {
      await db.insertInto('telemetry_events').values(event).execute()
    },
    /** The newest first, at most `limit`. */
    newest: async ({ event, since = '', until = '9' }: EventFilter, limit: number) => {
      const inTime = db
        .selectFrom('telemetry_events')
        .selectAll()
        .where('at', '>=', since)
        .where('at', '<=', until)
      const chosen = event === undefined ? inTime : inTime.where('event', '=', event)
      return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
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
