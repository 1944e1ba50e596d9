import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { DreamPassesTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'

export type DreamPassRow = Selectable<DreamPassesTable>

/** Tokens and cost of one model call. */
export type ModelCallCost = Pick<DreamPassRow, 'tokens_input' | 'tokens_output' | 'cost' | 'cost_coverage'>

/** Passes of Dreaming with their results and costs. */
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
    /** Adds a model call to a pass; `cost_coverage` describes all its calls together. */
    spend: async (id: string, spending: ModelCallCost): Promise<void> => {
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
    /** Ends passes that a previous process left open. */
    endOpen: async (outcome: string, now: string): Promise<void> => {
      await db
        .updateTable('dream_passes')
        .set({ outcome, ended_at: now })
        .where(sql<boolean>`ended_at IS NULL`)
        .execute()
    },
    /** Deletes passes that began before a time. */
    dropBefore: async (time: string): Promise<void> => {
      await db.deleteFrom('dream_passes').where('started_at', '<', time).execute()
    },
  }
}
