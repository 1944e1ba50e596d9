import { type Kysely, type Selectable, sql } from 'kysely'
import type { AgentsTable, Schema } from '../../schema/schema.js'

export type AgentRow = Selectable<AgentsTable>

export function agentsTable(db: Kysely<Schema>) {
  return {
    // Written as text: every recall and every hook asks it.
    find: async (id: string): Promise<AgentRow | undefined> => {
      const { rows } = await sql<AgentRow>`SELECT * FROM agents WHERE id = ${id}`.execute(db)
      return rows[0]
    },
    /** Registers a first-seen agent as `shared`; a known one is left alone (rules.md 4.3). */
    register: async (id: string, now: string): Promise<void> => {
      await db
        .insertInto('agents')
        .values({ id, name: id, read_policy: 'shared', policy_group: null, created_at: now, updated_at: now })
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute()
    },
    idsInGroup: async (group: string): Promise<string[]> => {
      const rows = await db.selectFrom('agents').select('id').where('policy_group', '=', group).execute()
      return rows.map(row => row.id)
    },
  }
}
