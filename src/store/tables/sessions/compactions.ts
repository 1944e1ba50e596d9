import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { CompactionsTable, Schema } from '../../schema/schema.js'
import type { SessionName } from './sessions.js'

export type CompactionRow = Selectable<CompactionsTable>

/** Compactions of sessions and the work left on each (rules.md 4.10). */
export function compactionsTable(db: Kysely<Schema>) {
  const ofSession = ({ agentId, sessionKey }: SessionName) =>
    db
      .selectFrom('compactions')
      .selectAll()
      .where('agent_id', '=', agentId)
      .where('session_key', '=', sessionKey)
  return {
    insert: async (row: Insertable<CompactionsTable>): Promise<void> => {
      await db.insertInto('compactions').values(row).execute()
    },
    find: (nodeId: string): Promise<CompactionRow | undefined> =>
      db.selectFrom('compactions').selectAll().where('node_id', '=', nodeId).executeTakeFirst(),
    newest: (session: SessionName): Promise<CompactionRow | undefined> =>
      ofSession(session).orderBy('captured_at', 'desc').limit(1).executeTakeFirst(),
    at: (session: SessionName, capturedAt: string): Promise<CompactionRow | undefined> =>
      ofSession(session).where('captured_at', '=', capturedAt).executeTakeFirst(),
    /** Records the file of a session's newest compaction in its manifest (rules.md 4.10). */
    noteInManifest: async ({ agentId, sessionKey }: SessionName, path: string): Promise<void> => {
      await db
        .updateTable('sessions')
        .set({ compaction_path: path })
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .execute()
    },
    noteEpoch: async (nodeId: string, epoch: number): Promise<void> => {
      await db
        .updateTable('compactions')
        .set({ context_epoch: epoch })
        .where('node_id', '=', nodeId)
        .execute()
    },
    /** Marks a compaction as finished and drops its text, which is in its file by now. */
    finish: async (nodeId: string): Promise<void> => {
      await db.updateTable('compactions').set({ document: null }).where('node_id', '=', nodeId).execute()
    },
    /** Returns unfinished compactions, oldest first. */
    open: async (limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('compactions')
        .select('node_id')
        .where(sql<boolean>`document IS NOT NULL`)
        .orderBy('captured_at')
        .limit(limit)
        .execute()
      return rows.map(row => row.node_id)
    },
  }
}
