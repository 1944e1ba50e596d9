import type { Kysely, Selectable } from 'kysely'
import type { AgentsTable, Schema } from '../schema.js'

export type AgentRow = Selectable<AgentsTable>

export function agentsTable(db: Kysely<Schema>) {
  return {
    find: (id: string): Promise<AgentRow | undefined> =>
      db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Registers a first-seen agent as `shared`; a known one is left alone (spec 1, 4.3). */
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
