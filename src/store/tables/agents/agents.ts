import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { AgentsTable, Schema } from '../../schema/schema.js'
import { fixedStatement } from '../../sql/fixed-statement.js'

export type AgentRow = Selectable<AgentsTable>

export function agentsTable(db: Kysely<Schema>) {
  const byId = fixedStatement<string, AgentRow>(
    db,
    ({ value }) => sql`SELECT * FROM agents WHERE id = ${value(id => id)}`,
    'agents',
  )
  return {
    /** A prepared statement, because every save, recall and hook runs it. */
    find: async (id: string): Promise<AgentRow | undefined> => (await byId(id))[0],
    /** Registers a new agent as `shared`; an existing one is unchanged (rules.md 4.3). */
    register: async (id: string, now: string): Promise<void> => {
      await db
        .insertInto('agents')
        .values(firstSeen(id, now))
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute()
    },
    /** Returns all agents in the roster, by name. */
    roster: (): Promise<AgentRow[]> =>
      db.selectFrom('agents').selectAll().where('removal', 'is', null).orderBy('id').execute(),
    /** @returns false when the name is taken. */
    add: async (row: Insertable<AgentsTable>): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('agents')
        .values(row)
        .onConflict(conflict => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },
    setPolicy: async (
      id: string,
      policy: Pick<AgentRow, 'read_policy' | 'policy_group'>,
      now: string,
    ): Promise<void> => {
      await db
        .updateTable('agents')
        .set({ ...policy, updated_at: now })
        .where('id', '=', id)
        .execute()
    },
    /** Marks an agent as being removed, which takes it off the roster. @param removal JSON. */
    beginRemoval: async (id: string, removal: string, now: string): Promise<void> => {
      await db
        .insertInto('agents')
        .values({ ...firstSeen(id, now), removal })
        .onConflict(conflict => conflict.column('id').doUpdateSet({ removal, updated_at: now }))
        .execute()
    },
    /** Returns agents whose removal is running or was interrupted. */
    beingRemoved: (): Promise<AgentRow[]> =>
      db.selectFrom('agents').selectAll().where('removal', 'is not', null).orderBy('id').execute(),
    drop: async (id: string): Promise<void> => {
      await db.deleteFrom('agents').where('id', '=', id).execute()
    },
    /** Returns when the database was created, which is also when the agent `default` began. */
    since: async (): Promise<string> => {
      const { rows } = await sql<{ applied_at: string }>`SELECT applied_at FROM migrations
        ORDER BY version LIMIT 1`.execute(db)
      return rows[0]?.applied_at ?? ''
    },
    idsInGroup: async (group: string): Promise<string[]> => {
      const rows = await db.selectFrom('agents').select('id').where('policy_group', '=', group).execute()
      return rows.map(row => row.id)
    },
  }
}

function firstSeen(id: string, now: string): Insertable<AgentsTable> {
  return { id, name: id, read_policy: 'shared', policy_group: null, created_at: now, updated_at: now }
}
