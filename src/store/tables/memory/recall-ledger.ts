import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'

/** A session of one agent; its key is the harness's own. */
export interface RecallSession {
  agentId: string
  sessionKey: string
}

/** A memory that a session was shown. */
export interface RecalledMemory {
  id: string
  /** It was shown in the session's present context epoch. */
  current: boolean
  /** -1 to 1; null until it is rated. */
  rating: number | null
}

/** The ledger of people's judgements: a session key that no harness has, and that is never purged. */
const person = { agent_id: '', session_key: ':person' } as const

/** A person's judgement of a row of `m`; null without one. */
export const judgementOfRow = sql<number | null>`(SELECT j.rating FROM recalled_memories j
  WHERE j.agent_id = ${person.agent_id} AND j.session_key = ${person.session_key} AND j.memory_id = m.id)`

/** Matches rows of `memories` that no person marked as wrong. */
export const notMarkedWrong = sql`NOT EXISTS (SELECT 1 FROM recalled_memories j
  WHERE j.agent_id = ${person.agent_id} AND j.session_key = ${person.session_key} AND j.memory_id = memories.id
    AND j.rating < -1)`
/** Ids of the memories that a person marked as wrong. */
export const markedWrong = sql`SELECT j.memory_id FROM recalled_memories j
  WHERE j.agent_id = ${person.agent_id} AND j.session_key = ${person.session_key} AND j.rating < -1`
const never = '9999-12-31T23:59:59.999Z'

/** Memories shown to each session by context epoch, with the session's ratings (recall.md 4.9). */
export function recallLedgerTable(db: Kysely<Schema>) {
  return { ...sessions(db), ...recalls(db), ...judgements(db) }
}

function sessions(db: Kysely<Schema>) {
  const stored = ({ agentId, sessionKey }: RecallSession, epoch: number, now: string) =>
    db
      .insertInto('recall_sessions')
      .values({ agent_id: agentId, session_key: sessionKey, epoch, used_at: now })
  return {
    /** Records that a session recalled; a new one begins with epoch 0. @returns its epoch. */
    use: async (session: RecallSession, now: string): Promise<number> => {
      const { epoch } = await stored(session, 0, now)
        .onConflict(conflict => conflict.columns(['agent_id', 'session_key']).doUpdateSet({ used_at: now }))
        .returning('epoch')
        .executeTakeFirstOrThrow()
      return epoch
    },
    /** Returns a session's context epoch; undefined when it has no ledger. */
    epochOf: async ({ agentId, sessionKey }: RecallSession): Promise<number | undefined> => {
      const row = await db
        .selectFrom('recall_sessions')
        .select('epoch')
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .executeTakeFirst()
      return row?.epoch
    },
    /** Begins the next context epoch of a session. @returns its number. */
    advance: async (session: RecallSession, now: string): Promise<number> => {
      const { epoch } = await stored(session, 1, now)
        .onConflict(conflict =>
          conflict
            .columns(['agent_id', 'session_key'])
            .doUpdateSet({ used_at: now, epoch: sql`recall_sessions.epoch + 1` }),
        )
        .returning('epoch')
        .executeTakeFirstOrThrow()
      return epoch
    },
    /** Deletes sessions last used before the given time, oldest first, at most `limit`. */
    purge: async (before: string, limit: number): Promise<void> => {
      await db
        .deleteFrom('recall_sessions')
        .where(
          eb => eb.refTuple('agent_id', 'session_key'),
          'in',
          eb =>
            eb
              .selectFrom('recall_sessions')
              .select(['agent_id', 'session_key'])
              .where('used_at', '<', before)
              .orderBy('used_at')
              .limit(limit)
              .$asTuple('agent_id', 'session_key'),
        )
        .execute()
    },
  }
}

function recalls(db: Kysely<Schema>) {
  return {
    /** Returns all memories a session was shown, unordered. */
    recalledIn: async ({ agentId, sessionKey }: RecallSession): Promise<RecalledMemory[]> => {
      const rows = await db
        .selectFrom('recalled_memories as r')
        .innerJoin('recall_sessions as s', join =>
          join.onRef('s.agent_id', '=', 'r.agent_id').onRef('s.session_key', '=', 'r.session_key'),
        )
        .select(['r.memory_id as id', 'r.rating', flag(sql`r.epoch = s.epoch`).as('current')])
        .where('s.agent_id', '=', agentId)
        .where('s.session_key', '=', sessionKey)
        .execute()
      return rows.map(row => ({ ...row, current: row.current === 1 }))
    },
    /** Returns whether a session was shown any memory in its present context epoch. */
    hasShown: async ({ agentId, sessionKey }: RecallSession): Promise<boolean> => {
      const row = await db
        .selectFrom('recalled_memories as r')
        .innerJoin('recall_sessions as s', join =>
          join
            .onRef('s.agent_id', '=', 'r.agent_id')
            .onRef('s.session_key', '=', 'r.session_key')
            .onRef('s.epoch', '=', 'r.epoch'),
        )
        .select('r.memory_id')
        .where('s.agent_id', '=', agentId)
        .where('s.session_key', '=', sessionKey)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
    /** Records that a session is shown memories. @returns the ids that are new in this epoch. */
    claim: async (
      { agentId, sessionKey }: RecallSession,
      epoch: number,
      ids: readonly string[],
    ): Promise<string[]> => {
      if (ids.length === 0) return []
      const rows = await db
        .insertInto('recalled_memories')
        .values(
          ids.map(id => ({ agent_id: agentId, session_key: sessionKey, memory_id: id, epoch, rating: null })),
        )
        .onConflict(conflict =>
          conflict
            .columns(['agent_id', 'session_key', 'memory_id'])
            .doUpdateSet({ epoch })
            .where('recalled_memories.epoch', '!=', epoch),
        )
        .returning('memory_id')
        .execute()
      return rows.map(row => row.memory_id)
    },
    /** Rates a memory that the session was shown. @returns false when it was not. */
    rate: async ({ agentId, sessionKey }: RecallSession, id: string, rating: number): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('recalled_memories')
        .set({ rating })
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .where('memory_id', '=', id)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}

function judgements(db: Kysely<Schema>) {
  const judged = fixedStatement<readonly string[], { memory_id: string; rating: number }>(
    db,
    ({ rows }) => sql`SELECT memory_id, rating FROM recalled_memories
      WHERE agent_id = ${person.agent_id} AND session_key = ${person.session_key} AND rating <> 0
        AND memory_id IN (SELECT value FROM ${rows(ids => ids, 'asked')})`,
  )
  return {
    /** Stores a person's judgement of a memory. @param rating -2 to 1; 0 takes it back */
    judge: async (id: string, rating: number): Promise<void> => {
      await db
        .insertInto('recall_sessions')
        .values({ ...person, epoch: 0, used_at: never })
        .onConflict(conflict => conflict.doNothing())
        .execute()
      await db
        .insertInto('recalled_memories')
        .values({ ...person, memory_id: id, epoch: 0, rating })
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'session_key', 'memory_id']).doUpdateSet({ rating }),
        )
        .execute()
    },
    /** Returns people's judgements of some memories. */
    judgedAmong: async (ids: readonly string[]): Promise<Map<string, number>> => {
      const rows = ids.length === 0 ? [] : await judged(ids)
      return new Map(rows.map(({ memory_id: id, rating }) => [id, rating]))
    },
  }
}
