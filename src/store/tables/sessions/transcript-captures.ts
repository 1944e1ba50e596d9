import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { TranscriptCapturesTable } from '../../schema/transcript-schema.js'
import { listOf } from '../../sql/dialect.js'
import type { SessionName } from './sessions.js'

export type CaptureRow = Selectable<TranscriptCapturesTable>
export type NewCapture = Insertable<TranscriptCapturesTable>

/** Capture receipts, and the capture state in the rows of sessions (rules.md 4.10). */
export function transcriptCapturesTable(db: Kysely<Schema>) {
  const session = ({ agentId, sessionKey }: SessionName) =>
    db.updateTable('sessions').where('agent_id', '=', agentId).where('session_key', '=', sessionKey)
  return {
    add: async (
      row: Omit<NewCapture, 'error' | 'body_id' | 'stale_body_id' | 'record_size' | 'completed_at'>,
    ) => {
      await db
        .insertInto('transcript_captures')
        .values({
          ...row,
          error: null,
          body_id: null,
          stale_body_id: null,
          record_size: null,
          completed_at: null,
        })
        .execute()
    },
    find: (id: string): Promise<CaptureRow | undefined> =>
      db.selectFrom('transcript_captures').selectAll().where('id', '=', id).executeTakeFirst(),
    update: async (id: string, fields: Updateable<TranscriptCapturesTable>): Promise<void> => {
      await db.updateTable('transcript_captures').set(fields).where('id', '=', id).execute()
    },
    /**
     * Returns captures that started to write and have not ended. @param node leaves out those that another
     * daemon has to do
     */
    halfWritten: (node: string | null): Promise<Pick<CaptureRow, 'id' | 'status'>[]> =>
      db
        .selectFrom('transcript_captures as c')
        .select(['c.id', 'c.status'])
        .where('c.record_size', 'is not', null)
        .$if(node !== null, query =>
          query.where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('jobs as j')
                  .select('j.id')
                  .whereRef('j.id', '=', 'c.id')
                  .where('j.node', '!=', node),
              ),
            ),
          ),
        )
        .execute(),
    /**
     * Returns the state of a capture that comes before this one, at another daemon: it is at work on the same
     * session, or has an older receipt of it.
     */
    elsewhere: async (
      { id, agent_id, session_key }: Pick<CaptureRow, 'id' | 'agent_id' | 'session_key'>,
      node: string,
    ): Promise<string | undefined> => {
      const { rows } = await sql<Pick<CaptureRow, 'status'>>`SELECT c.status
        FROM transcript_captures c JOIN jobs j ON j.id = c.id
        WHERE c.agent_id = ${agent_id} AND c.session_key = ${session_key} AND c.id <> ${id}
          AND c.status IN ('queued', 'running') AND j.node <> ${node} AND j.node IN (SELECT id FROM nodes)
          AND (c.status = 'running' AND j.status = 'leased'
            OR c.id < ${id} AND j.status IN ('pending', 'leased'))
        ORDER BY c.status DESC LIMIT 1`.execute(db)
      return rows[0]?.status
    },
    /** Returns the ids of open captures without an open job. */
    withoutJob: async (): Promise<string[]> => {
      const rows = await db
        .selectFrom('transcript_captures as c')
        .select('c.id')
        // Matches the condition of the index.
        .where(sql<boolean>`c.status IN ('queued', 'running')`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('jobs as j')
                .select('j.id')
                .whereRef('j.id', '=', 'c.id')
                .where('j.status', 'in', ['pending', 'leased']),
            ),
          ),
        )
        .execute()
      return rows.map(({ id }) => id)
    },
    /** Returns the given sessions of an agent that were ever captured. */
    handedOver: async (agentId: string, sessionKeys: readonly string[]): Promise<string[]> => {
      const rows = await db
        .selectFrom('transcript_captures')
        .select('session_key')
        .distinct()
        .where('agent_id', '=', agentId)
        .where('session_key', 'in', sql<string>`${listOf(sessionKeys)}`)
        .execute()
      return rows.map(({ session_key }) => session_key)
    },
    ofAgent: (agentId: string, limit: number): Promise<CaptureRow[]> =>
      db.selectFrom('transcript_captures').selectAll().where('agent_id', '=', agentId).limit(limit).execute(),
    drop: async (ids: readonly string[]): Promise<void> => {
      await db
        .deleteFrom('transcript_captures')
        .where('id', 'in', [...ids])
        .execute()
    },
    /** Returns a capture whose replaced body still exists. */
    withStaleBody: (): Promise<CaptureRow | undefined> =>
      db
        .selectFrom('transcript_captures')
        .selectAll()
        .where('stale_body_id', 'is not', null)
        .limit(1)
        .executeTakeFirst(),
    /** Records when a session was captured; the latest time wins. */
    noteCaptured: async (name: SessionName, at: string): Promise<void> => {
      await session(name)
        .set({ captured_at: sql`CASE WHEN captured_at > ${at} THEN captured_at ELSE ${at} END` })
        .execute()
    },
    moveCursor: async (name: SessionName, cursor: number): Promise<void> => {
      await session(name).set({ checkpoint_cursor: cursor }).execute()
    },
    /**
     * Records that the session's end was counted. @returns false when it already was, or the session is
     * unknown.
     */
    countEnd: async (name: SessionName): Promise<boolean> => {
      const { numUpdatedRows } = await session(name)
        .where('end_counted', '=', 0)
        .set({ end_counted: 1 })
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Sets the times of a session that had ended before it was first recorded. */
    backdate: async (name: SessionName, times: { startedAt: string; endedAt: string }): Promise<void> => {
      await session(name)
        .set({ started_at: times.startedAt, seen_at: times.endedAt, ended_at: times.endedAt })
        .execute()
    },
  }
}
