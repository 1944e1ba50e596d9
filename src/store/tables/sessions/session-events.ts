import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema, SessionEventsTable, SessionLogsTable } from '../../schema/schema.js'
import { sameProject } from '../../sql/same-project.js'
import { isSessionAmong, nameKeyOf, type SessionName } from './sessions.js'

export type SessionLogRow = Selectable<SessionLogsTable>
export type SessionEventRow = Selectable<SessionEventsTable>

/** An event to append; its position in the log is assigned on write. */
export type NewSessionEvent = Omit<
  Insertable<SessionEventsTable>,
  'agent_id' | 'session_key' | 'position' | 'at'
>

/** A session with the events that gave it context at its starts. */
export interface SessionStartRows {
  sessionKey: string
  starts: Pick<SessionEventRow, 'at' | 'refs' | 'payload'>[]
}

/** An event with the project of its session, and the harness if that calls hooks. */
export interface ActivityRow
  extends Pick<
    SessionEventRow,
    'id' | 'kind' | 'at' | 'session_key' | 'position' | 'detail' | 'refs' | 'payload'
  > {
  project: string | null
  harness: string | null
}

/** Kinds of the events that tell what sessions asked and were given. */
const activityKinds = ['recall.requested', 'recall.result', 'context.recalled']
/** Newest events of all sessions that are looked at for each wanted one: most may be of others. */
const activityWindow = 10

/** Events a session's black box contains; the oldest are trimmed in batches. */
const maxEvents = 500
const trimEvery = 50

/** Black boxes of sessions (rules.md 4.11): a log of their recalls, injections and writes. */
export function sessionEventsTable(db: Kysely<Schema>) {
  return { ...writes(db), ...reads(db) }
}

function writes(db: Kysely<Schema>) {
  return {
    /**
     * Appends events and trims the oldest of the session.
     * @param project used only for a session without hooks: the first one given stays. A tracked session's
     * own project is more reliable, as a recall or save may concern another project.
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
    /**
     * Deletes events before the given time and logs left empty, at most `limit` rows of each.
     * @returns the number of rows deleted.
     */
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
              // A log is deleted after its events, so a cascade cannot exceed the limit.
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
    /** Counts the memories that sessions saved, among their stored events, by `nameKeyOf`. */
    countSaved: async (names: readonly SessionName[]): Promise<Map<string, number>> => {
      const rows = await db
        .selectFrom('session_events')
        .select(['agent_id', 'session_key', sql<number>`count(*)`.as('count')])
        .where(isSessionAmong(names))
        .where('kind', '=', 'assertion.created')
        .groupBy(['agent_id', 'session_key'])
        .execute()
      return new Map(rows.map(row => [nameKeyOf(row), row.count]))
    },
    /** Returns logs of an agent's sessions, most recently written first. */
    logs: (agentId: string, project: string | undefined, limit: number): Promise<SessionLogRow[]> =>
      db
        .selectFrom('session_logs')
        .selectAll()
        .where('agent_id', '=', agentId)
        .$if(project !== undefined, query => query.where(sameProject('project', project)))
        .orderBy('last_at', 'desc')
        .orderBy('session_key')
        .limit(limit)
        .execute(),
    /**
     * Returns the newest events by which an agent's sessions asked something or were given a context, newest
     * first. A question and its result are two rows, so up to twice `limit` are returned.
     */
    newest: async (
      { agentId, project }: { agentId: string; project: string | undefined },
      limit: number,
    ): Promise<ActivityRow[]> => {
      const events = await db
        .selectFrom(eb =>
          eb
            .selectFrom('session_events')
            .selectAll()
            .orderBy('at', 'desc')
            .limit(limit * activityWindow)
            .as('e'),
        )
        .select(['id', 'kind', 'at', 'agent_id', 'session_key', 'position', 'detail', 'refs', 'payload'])
        .where('agent_id', '=', agentId)
        .where('kind', 'in', activityKinds)
        .orderBy('at', 'desc')
        .orderBy('position', 'desc')
        .execute()
      if (events.length === 0) return []
      const names = [...new Set(events.map(({ session_key }) => session_key))].map(sessionKey => ({
        agentId,
        sessionKey,
      }))
      const logs = await db
        .selectFrom('session_logs')
        .select(['session_key', 'project'])
        .where(isSessionAmong(names))
        .$if(project !== undefined, query => query.where(sameProject('project', project)))
        .execute()
      const sessions = await db
        .selectFrom('sessions')
        .select(['session_key', 'harness'])
        .where(isSessionAmong(names))
        .execute()
      const projects = new Map(logs.map(log => [log.session_key, log.project]))
      const harnesses = new Map(sessions.map(one => [one.session_key, one.harness]))
      return events
        .filter(({ session_key }) => projects.has(session_key))
        .slice(0, 2 * limit)
        .map(({ agent_id: _agent, ...event }) => ({
          ...event,
          project: projects.get(event.session_key) ?? null,
          harness: harnesses.get(event.session_key) ?? null,
        }))
    },
    log: ({ agentId, sessionKey }: SessionName): Promise<SessionLogRow | undefined> =>
      db
        .selectFrom('session_logs')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst(),
    /**
     * Returns the last sessions of a project with their starts: the events that gave them context. The newest
     * session and the oldest start come first.
     */
    lastStarts: async (
      { agentId, project, except }: { agentId: string; project: string; except: string | undefined },
      limit: number,
    ): Promise<SessionStartRows[]> => {
      const last = await db
        .selectFrom('session_logs')
        .select('session_key')
        .where('agent_id', '=', agentId)
        .where(sameProject('project', project))
        .where('session_key', '!=', except ?? '')
        .orderBy('last_at', 'desc')
        .limit(limit)
        .execute()
      if (last.length === 0) return []
      const keys = last.map(({ session_key }) => session_key)
      const events = await db
        .selectFrom('session_events')
        .select(['session_key', 'at', 'refs', 'payload'])
        .where('agent_id', '=', agentId)
        .where('session_key', 'in', keys)
        .where('kind', '=', 'context.recalled')
        .orderBy('position')
        .execute()
      const starts = events.filter(({ payload }) => JSON.parse(payload).surface === 'start')
      return keys.map(sessionKey => ({
        sessionKey,
        starts: starts.filter(one => one.session_key === sessionKey),
      }))
    },
    /** Returns all events of a session's log, oldest first. */
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
