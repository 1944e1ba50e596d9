import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { DreamPassesTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'

export type DreamPassRow = Selectable<DreamPassesTable>

/** What one call of a model took. */
export type DreamSpending = Pick<DreamPassRow, 'tokens_input' | 'tokens_output' | 'cost' | 'cost_coverage'>

/** The passes of Dreaming, what they did and what they cost. */
export function dreamPassesTable(db: Kysely<Schema>) {
  return {
    insert: async (row: Insertable<DreamPassesTable>): Promise<void> => {
      await db.insertInto('dream_passes').values(row).execute()
    },
    update: async (id: string, change: Partial<Insertable<DreamPassesTable>>): Promise<void> => {
      await db.updateTable('dream_passes').set(change).where('id', '=', id).execute()
    },
    find: (id: string): Promise<DreamPassRow | undefined> =>
      db.selectFrom('dream_passes').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Adds a call of a model to a pass; where its cost comes from is told of all its calls together. */
    spend: async (id: string, spending: DreamSpending): Promise<void> => {
      const { tokens_input, tokens_output, cost, cost_coverage } = spending
      await sql`UPDATE dream_passes SET calls = calls + 1, tokens_input = tokens_input + ${tokens_input},
        tokens_output = tokens_output + ${tokens_output}, cost = cost + ${cost},
        cost_coverage = ${cost_coverage} WHERE id = ${id}`.execute(db)
    },
    /** Newest first. */
    newest: (limit: number): Promise<DreamPassRow[]> =>
      db
        .selectFrom('dream_passes')
        .selectAll()
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Ends passes that a process left open. */
    endOpen: async (outcome: string, now: string): Promise<void> => {
      await db
        .updateTable('dream_passes')
        .set({ outcome, ended_at: now })
        .where(sql<boolean>`ended_at IS NULL`)
        .execute()
    },
    /** Forgets all passes that began before a time. */
    dropBefore: async (time: string): Promise<void> => {
      await db.deleteFrom('dream_passes').where('started_at', '<', time).execute()
    },
  }
}
