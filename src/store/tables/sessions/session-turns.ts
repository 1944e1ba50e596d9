import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SessionFilesTable, SessionTurnsTable } from '../../schema/transcript-schema.js'
import { byIndex } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'
import { sameProject } from '../../sql/same-project.js'
import type { SessionName } from './sessions.js'

export type SessionTurnRow = Selectable<SessionTurnsTable>
export type NewSessionFile = Insertable<SessionFilesTable>

/** A turn that touched a file, with what was asked of it. */
export type FileTurn = Selectable<SessionFilesTable> & { asked: string | null; project: string | null }

/** Uses of tools in sessions (sessions.md#tool-use). */
export function sessionTurnsTable(db: Kysely<Schema>) {
  const drop = async ({ agentId, sessionKey }: SessionName, from = 0): Promise<void> => {
    for (const table of ['session_files', 'session_turns'] as const)
      await db
        .deleteFrom(table)
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .where('turn', '>=', from)
        .execute()
  }
  return {
    drop,
    /** Replaces the turns of a session. @param from the first that is replaced */
    put: async (
      name: SessionName,
      turns: readonly SessionTurnRow[],
      files: readonly NewSessionFile[],
      from = 0,
    ): Promise<void> => {
      await drop(name, from)
      await insertRows(db, 'session_turns', turns)
      await insertRows(db, 'session_files', files)
    },
    /** Returns the number of the turn that would follow the stored ones. */
    next: async ({ agentId, sessionKey }: SessionName): Promise<number> => {
      const last = await db
        .selectFrom('session_turns')
        .select('turn')
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .orderBy('turn', 'desc')
        .limit(1)
        .executeTakeFirst()
      return last === undefined ? 0 : last.turn + 1
    },
    /** Returns the last turns of a session in order. */
    of: async ({ agentId, sessionKey }: SessionName, limit: number): Promise<SessionTurnRow[]> => {
      const rows = await db
        .selectFrom('session_turns')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .orderBy('turn', 'desc')
        .limit(limit)
        .execute()
      return rows.reverse()
    },
    /** Returns the turns of an agent that touched a file, the last ones first. */
    touching: (path: string, agentId: string, limit: number): Promise<FileTurn[]> =>
      db
        .selectFrom('session_files')
        .leftJoin('session_turns', join =>
          join
            .onRef('session_turns.agent_id', '=', 'session_files.agent_id')
            .onRef('session_turns.session_key', '=', 'session_files.session_key')
            .onRef('session_turns.turn', '=', 'session_files.turn'),
        )
        .selectAll('session_files')
        .select(['session_turns.asked', 'session_turns.project'])
        .where('session_files.path', '=', path)
        .where('session_files.agent_id', '=', agentId)
        .orderBy('session_files.at', 'desc')
        .limit(limit)
        .execute(),
    /** Returns the last turns of a project that ran tests, the last ones first. */
    tested: async (project: string, agentId: string, limit: number): Promise<SessionTurnRow[]> => {
      // Names the index, since the primary key begins with the agent too and leads to all its turns.
      const { rows } = await sql<SessionTurnRow>`
        SELECT * FROM ${byIndex('session_turns', 'session_turns_tests')}
        WHERE agent_id = ${agentId} AND ${sameProject('project', project)} AND tests IS NOT NULL
        ORDER BY at DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Deletes turns before a time, at most `limit` of each table. @returns the number of deleted turns. */
    purge: async (before: string, limit: number): Promise<number> => {
      await sql`DELETE FROM session_files WHERE (path, at, agent_id, session_key, turn) IN (
        SELECT path, at, agent_id, session_key, turn FROM session_files WHERE at < ${before}
        ORDER BY at LIMIT ${limit})`.execute(db)
      const { numAffectedRows } = await sql`DELETE FROM session_turns WHERE (agent_id, session_key, turn) IN (
        SELECT agent_id, session_key, turn FROM session_turns WHERE at < ${before}
        ORDER BY at LIMIT ${limit})`.execute(db)
      return Number(numAffectedRows ?? 0)
    },
  }
}
