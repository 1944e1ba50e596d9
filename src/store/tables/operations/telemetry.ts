import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { TelemetryEventsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'
import { triplesOf } from '../../sql/dialect.js'

export type NewEvent = Insertable<TelemetryEventsTable>
export type EventRow = Selectable<TelemetryEventsTable>

export interface EventFilter {
  event?: string | undefined
  /** ISO 8601, both inclusive. */
  since?: string | undefined
  until?: string | undefined
}

/** Anonymous events (rules.md 6): counts and durations, never texts, names or keys. */
export function telemetryTable(db: Kysely<Schema>) {
  return { ...reading(db), ...retention(db) }
}

function reading(db: Kysely<Schema>) {
  return {
    add: async (event: NewEvent): Promise<void> => {
      await db.insertInto('telemetry_events').values(event).execute()
    },
    /** All in one statement, which stays prepared: one each would cost more than all else of an event. */
    addAll: async (events: readonly NewEvent[]): Promise<void> => {
      const rows = triplesOf(events.map(({ event, at, properties }) => [event, at, properties]))
      await sql`INSERT INTO telemetry_events (event, at, properties) SELECT a, b, c FROM ${rows}`.execute(db)
    },
    /** The newest first, at most `limit`. */
    newest: async ({ event, since = '', until = '9' }: EventFilter, limit: number): Promise<EventRow[]> => {
      const inTime = db
        .selectFrom('telemetry_events')
        .selectAll()
        .where('at', '>=', since)
        .where('at', '<=', until)
      const chosen = event === undefined ? inTime : inTime.where('event', '=', event)
      return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
    },
    /** Those that were written after one, in that order, at most `limit`. */
    after: (id: number, limit: number): Promise<EventRow[]> =>
      db.selectFrom('telemetry_events').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute(),
    /** How many were written after one: counted up to `most`. */
    countAfter: async (id: number, most: number): Promise<number> => {
      const some = db.selectFrom('telemetry_events').select('id').where('id', '>', id).limit(most)
      const { count } = await db
        .selectFrom(some.as('some'))
        .select(eb => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    /** The number of the event that was written last; 0 before the first. */
    last: async (): Promise<number> => {
      const row = await db
        .selectFrom('telemetry_events')
        .select('id')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.id ?? 0
    },
  }
}

function retention(db: Kysely<Schema>) {
  return {
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
    /**
     * Deletes those that were written longest ago, as far as there are more than `most`, at most `limit`. Numbers are
     * given one after the other, so that nothing is counted for it.
     * @returns how many went.
     */
    keepNewest: async (most: number, limit: number): Promise<number> => {
      const bound = sql<number>`(SELECT MAX(id) FROM telemetry_events) - ${most}`
      const { numDeletedRows } = await db
        .deleteFrom('telemetry_events')
        .where('id', 'in', eb =>
          eb.selectFrom('telemetry_events').select('id').where('id', '<=', bound).orderBy('id').limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
