import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema, SessionEventsTable, SessionLogsTable } from '../../schema/schema.js'
import type { SessionName } from './sessions.js'

export type SessionLogRow = Selectable<SessionLogsTable>
export type SessionEventRow = Selectable<SessionEventsTable>

/** An event to be written; its place in the log follows from the moment. */
export type NewSessionEvent = Omit<
  Insertable<SessionEventsTable>,
  'agent_id' | 'session_key' | 'position' | 'at'
>

/** Events that a session's black box holds; the oldest go first, some at a time. */
const maxEvents = 500
const trimEvery = 50

/** Black boxes of sessions (rules.md 4.11): bookkeeping of what each asked for, was shown and wrote. */
export function sessionEventsTable(db: Kysely<Schema>) {
  return { ...writes(db), ...reads(db) }
}

function writes(db: Kysely<Schema>) {
  return {
    /**
     * Writes events in their order; only the newest of a session are kept.
     * @param project of a session that no hook told of: it stays in the first that is named. Where others work the
     *   tracker knows better than a recall that searches elsewhere, or a memory that is saved for elsewhere.
     */
    append: async (
      { agentId, sessionKey }: SessionName,
      project: string | null,
      events: readonly NewSessionEvent[],
      at: string,
    ): Promise<void> => {
      const tracked = await db
        .selectFrom('sessions')
        .select('project')
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst()
      const recalls = events.filter(({ kind }) => kind !== 'artifact.written' && kind !== 'assertion.created')
      const artifacts = events.filter(({ kind }) => kind === 'artifact.written')
      const { events: last } = await db
        .insertInto('session_logs')
        .values({
          agent_id: agentId,
          session_key: sessionKey,
          project: tracked ? tracked.project : project,
          events: events.length,
          recall_events: recalls.length,
          artifact_events: artifacts.length,
          last_at: at,
        })
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'session_key']).doUpdateSet({
            project: tracked ? tracked.project : sql`COALESCE(session_logs.project, ${project})`,
            events: sql`session_logs.events + ${events.length}`,
            recall_events: sql`session_logs.recall_events + ${recalls.length}`,
            artifact_events: sql`session_logs.artifact_events + ${artifacts.length}`,
            last_at: at,
          }),
        )
        .returning('events')
        .executeTakeFirstOrThrow()
      const before = last - events.length
      await db
        .insertInto('session_events')
        .values(
          events.map((event, index) => ({
            ...event,
            agent_id: agentId,
            session_key: sessionKey,
            position: before + index + 1,
            at,
          })),
        )
        .execute()
      if (Math.floor(last / trimEvery) === Math.floor(before / trimEvery)) return
      await db
        .deleteFrom('session_events')
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .where('position', '<=', last - maxEvents)
        .execute()
    },
    /** Deletes events from before the given time and the logs that none follow, at most `limit` rows of each. @returns how many rows went. */
    purge: async (before: string, limit: number): Promise<number> => {
      const events = await db
        .deleteFrom('session_events')
        .where(
          eb => eb.refTuple('agent_id', 'session_key', 'position'),
          'in',
          eb =>
            eb
              .selectFrom('session_events')
              .select(['agent_id', 'session_key', 'position'])
              .where('at', '<', before)
              .orderBy('at')
              .limit(limit)
              .$asTuple('agent_id', 'session_key', 'position'),
        )
        .executeTakeFirstOrThrow()
      const logs = await db
        .deleteFrom('session_logs')
        .where(
          eb => eb.refTuple('agent_id', 'session_key'),
          'in',
          eb =>
            eb
              .selectFrom('session_logs as l')
              .select(['agent_id', 'session_key'])
              .where('last_at', '<', before)
              // A log goes after its events, so that no deletion takes more rows than it was asked to.
              .where(
                sql<boolean>`NOT EXISTS (SELECT 1 FROM session_events e WHERE e.agent_id = l.agent_id AND e.session_key = l.session_key)`,
              )
              .orderBy('last_at')
              .limit(limit)
              .$asTuple('agent_id', 'session_key'),
        )
        .executeTakeFirstOrThrow()
      return Number(events.numDeletedRows + logs.numDeletedRows)
    },
  }
}

function reads(db: Kysely<Schema>) {
  return {
    /** Logs of an agent's sessions, the one written to last first. */
    logs: (agentId: string, project: string | undefined, limit: number): Promise<SessionLogRow[]> =>
      db
        .selectFrom('session_logs')
        .selectAll()
        .where('agent_id', '=', agentId)
        .$if(project !== undefined, query => query.where('project', '=', project as string))
        .orderBy('last_at', 'desc')
        .orderBy('session_key')
        .limit(limit)
        .execute(),
    log: ({ agentId, sessionKey }: SessionName): Promise<SessionLogRow | undefined> =>
      db
        .selectFrom('session_logs')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst(),
    /** Every event that a session's log holds, oldest first. */
    of: ({ agentId, sessionKey }: SessionName): Promise<SessionEventRow[]> =>
      db
        .selectFrom('session_events')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .orderBy('position')
        .execute(),
  }
}
