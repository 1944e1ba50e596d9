import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { TelemetryCountsTable, TelemetryEventsTable } from '../../schema/operations-schema.js'
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
    /** Inserts all events in one prepared statement; separate ones would dominate the cost of an event. */
    addAll: async (events: readonly NewEvent[]): Promise<void> => {
      const rows = triplesOf(events.map(({ event, at, properties }) => [event, at, properties]))
      await sql`INSERT INTO telemetry_events (event, at, properties) SELECT a, b, c FROM ${rows} listed`.execute(
        db,
      )
    },
    /** Returns events, newest first, at most `limit`. */
    newest: async ({ event, since = '', until = '9' }: EventFilter, limit: number): Promise<EventRow[]> => {
      const inTime = db
        .selectFrom('telemetry_events')
        .selectAll()
        .where('at', '>=', since)
        .where('at', '<=', until)
      const chosen = event === undefined ? inTime : inTime.where('event', '=', event)
      return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
    },
    /** Returns events written after `id`, in that order, at most `limit`. */
    after: (id: number, limit: number): Promise<EventRow[]> =>
      db.selectFrom('telemetry_events').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute(),
    /** Counts events written after `id`, up to `most`. */
    countAfter: async (id: number, most: number): Promise<number> => {
      const some = db.selectFrom('telemetry_events').select('id').where('id', '>', id).limit(most)
      const { count } = await db
        .selectFrom(some.as('some'))
        .select(eb => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns the number of the last event; 0 before the first. */
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
    /** Deletes the oldest events before the given time, at most `limit`. @returns the number deleted. */
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
     * Deletes the oldest events above `most`, at most `limit`. Ids are consecutive, so no count is needed.
     * @returns the number deleted.
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

export type Span = TelemetryCountsTable['span']
export type CountRow = Selectable<TelemetryCountsTable>

/** Totals of events by hour and day (telemetry.md 4). */
export function telemetryCountsTable(db: Kysely<Schema>) {
  return {
    /** Adds to counters in one statement; separate ones would dominate the cost of an event. */
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
    /** Sums each counter over the periods from `from` on. */
    sums: (span: Span, from: string): Promise<{ counter: string; sum: number }[]> =>
      db
        .selectFrom('telemetry_counts')
        .select(eb => ['counter', eb.fn.sum<number>('value').as('sum')])
        .where('span', '=', span)
        .where('period', '>=', from)
        .groupBy('counter')
        .execute(),
    /** Deletes periods before `before`. */
    forget: async (span: Span, before: string): Promise<void> => {
      await db.deleteFrom('telemetry_counts').where('span', '=', span).where('period', '<', before).execute()
    },
  }
}
