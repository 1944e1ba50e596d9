import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { DreamPassesTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import type { AttentionsTable } from '../../schema/source-schema.js'
import { unindexed } from '../../sql/dialect.js'

export type Attention = Selectable<AttentionsTable>

export type AttentionOutcome = 'done' | 'empty' | 'declined' | 'failed'

export type DreamPassRow = Selectable<DreamPassesTable>

/** Tokens and cost of one model call. */
export type ModelCallCost = Pick<DreamPassRow, 'tokens_input' | 'tokens_output' | 'cost' | 'cost_coverage'>

/** Requests for Dreaming to review something; at most one waits per agent, subject and kind. */
export function attentionsTable(db: Kysely<Schema>) {
  return {
    /** Adds an attention; if one already waits, its detail and time are updated. */
    add: async (
      attention: Omit<Attention, 'state' | 'attempts' | 'updated_at' | 'run_after'>,
    ): Promise<void> => {
      const { created_at: now, detail } = attention
      await db
        .insertInto('attentions')
        .values({ ...attention, state: 'waiting', updated_at: now })
        .onConflict(conflict =>
          conflict
            .columns(['agent_id', 'subject_kind', 'subject', 'kind'])
            .where(sql<boolean>`state = 'waiting'`)
            .doUpdateSet({ detail, updated_at: now }),
        )
        .execute()
    },
    /** Returns waiting attentions that may be processed now, oldest first. */
    due: (now: string, limit: number): Promise<Attention[]> =>
      db
        .selectFrom('attentions')
        .selectAll()
        .where(sql<boolean>`state = 'waiting'`)
        .where('run_after', '<=', now)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute(),
    /** Counts an attempt and sets when the next may follow, in case this one does not finish. */
    begin: async (id: string, runAfter: string, now: string): Promise<void> => {
      await waiting(db, id)
        .set({ attempts: sql`attempts + 1`, run_after: runAfter, updated_at: now })
        .execute()
    },
    /** Ends a waiting attention. @returns false when it no longer waits. */
    end: async (
      id: string,
      { state, detail }: { state: AttentionOutcome; detail: string | null },
      now: string,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await waiting(db, id)
        .set({ state, updated_at: now, ...(detail !== null && { detail }) })
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    countWaiting: async (): Promise<{ kind: string; waiting: number }[]> => {
      const { rows } = await sql<{ kind: string; waiting: number }>`SELECT kind, count(*) AS waiting
        FROM attentions WHERE state = 'waiting' GROUP BY kind ORDER BY kind`.execute(db)
      return rows
    },
    /** Returns attentions about one subject, newest first. */
    of: (agentId: string, subject: string, limit: number): Promise<Attention[]> =>
      db
        .selectFrom('attentions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('subject', '=', subject)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function waiting(db: Kysely<Schema>, id: string) {
  return db.updateTable('attentions').where('id', '=', id).where(unindexed<string>('state'), '=', 'waiting')
}

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
