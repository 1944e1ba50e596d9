import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { TranscriptChunksTable } from '../../schema/transcript-schema.js'
import { flag } from '../../sql/dialect.js'
import { hasAtLeast } from '../../sql/sized.js'

export type ChunkRow = Selectable<TranscriptChunksTable>
export type NewChunk = Insertable<TranscriptChunksTable>

/** A chunk with its transcript's fields for the index; `alive` is 0 for chunks hidden from search. */
export interface ChunkToIndex extends ChunkRow {
  agent_id: string | null
  project: string | null
  captured_at: string | null
  messages: number | null
  alive: number
}

/** Passages of transcripts that are searched as documents (rules.md 4.11); only clean ones are. */
export function transcriptChunksTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db) }
}

const alive = sql<boolean>`(c.removed = 0 AND c.safety_status = 'clean' AND c.last_position < t.messages)`

function reads(db: Kysely<Schema>) {
  const toIndex = () =>
    db
      .selectFrom('transcript_chunks as c')
      .leftJoin('transcripts as t', 't.body_id', 'c.body_id')
      .selectAll('c')
      .select(['t.agent_id', 't.project', 't.captured_at', 't.messages'])
      .select(flag(alive).as('alive'))
  return {
    /** Returns the newest chunks before a change, newest first. */
    beforeChange: (change: number, limit: number): Promise<ChunkToIndex[]> =>
      toIndex().where('c.change', '<', change).orderBy('c.change', 'desc').limit(limit).execute(),
    /** Returns the oldest chunks after a change, oldest first. */
    afterChange: (change: number, limit: number): Promise<ChunkToIndex[]> =>
      toIndex().where('c.change', '>', change).orderBy('c.change').limit(limit).execute(),
    hasAtLeast: (count: number): Promise<boolean> => hasAtLeast(db, 'transcript_chunks', count),
    countAlive: async (): Promise<number> => {
      const { count } = await db
        .selectFrom('transcript_chunks as c')
        .innerJoin('transcripts as t', 't.body_id', 'c.body_id')
        .select(sql<number>`count(*)`.as('count'))
        .where(alive)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns chunks of a body from number `from` to before `to`. */
    of: (
      bodyId: string,
      { from, to }: { from: number; to?: number },
      limit: number,
    ): Promise<ChunkToIndex[]> =>
      toIndex()
        .where('c.body_id', '=', bodyId)
        .where('c.chunk', '>=', from)
        .$if(to !== undefined, query => query.where('c.chunk', '<', to as number))
        .orderBy('c.chunk')
        .limit(limit)
        .execute(),
    /** Returns the chunks of a body that contain messages of a range, both ends included, in order. */
    covering: (bodyId: string, { from, to }: { from: number; to: number }): Promise<ChunkRow[]> =>
      db
        .selectFrom('transcript_chunks')
        .selectAll()
        .where('body_id', '=', bodyId)
        .where('removed', '=', 0)
        .where('last_position', '>=', from)
        .where('first_position', '<=', to)
        .orderBy('chunk')
        .execute(),
    /** Returns the last chunk of a body that ends before a message. */
    last: (bodyId: string, messages: number): Promise<ChunkRow | undefined> =>
      db
        .selectFrom('transcript_chunks')
        .selectAll()
        .where('body_id', '=', bodyId)
        .where('last_position', '<', messages)
        .orderBy('chunk', 'desc')
        .limit(1)
        .executeTakeFirst(),
  }
}

function writes(db: Kysely<Schema>) {
  return {
    /** Saves chunks, replacing those with the same number. */
    put: async (chunks: readonly NewChunk[]): Promise<void> => {
      if (chunks.length === 0) return
      await db
        .insertInto('transcript_chunks')
        .values([...chunks])
        .onConflict(conflict =>
          conflict.columns(['body_id', 'chunk']).doUpdateSet(eb => ({
            first_position: eb.ref('excluded.first_position'),
            first_offset: eb.ref('excluded.first_offset'),
            last_position: eb.ref('excluded.last_position'),
            last_end: eb.ref('excluded.last_end'),
            safety_status: eb.ref('excluded.safety_status'),
            removed: eb.ref('excluded.removed'),
            change: eb.ref('excluded.change'),
          })),
        )
        .execute()
    },
    /** Marks chunks of a body as removed, from a number on. @returns the number marked, at most `limit`. */
    markRemoved: async (
      bodyId: string,
      range: { from: number; limit: number },
      firstChange: number,
    ): Promise<number> => {
      const { numUpdatedRows } = await db
        .updateTable('transcript_chunks')
        .set({ removed: 1, change: sql`${firstChange} + chunk - ${range.from}` })
        .where('body_id', '=', bodyId)
        .where('chunk', '>=', range.from)
        .where('chunk', '<', range.from + range.limit)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },
    /** Gives chunks of a body new changes, from a chunk number on. */
    renumber: async (bodyId: string, from: number, firstChange: number): Promise<void> => {
      await db
        .updateTable('transcript_chunks')
        .set({ change: sql`${firstChange} + chunk - ${from}` })
        .where('body_id', '=', bodyId)
        .where('chunk', '>=', from)
        .execute()
    },
    /** Deletes chunks that were staged but never shown. */
    dropFrom: async (bodyId: string, chunk: number): Promise<void> => {
      await db
        .deleteFrom('transcript_chunks')
        .where('body_id', '=', bodyId)
        .where('chunk', '>=', chunk)
        .execute()
    },
    /** Deletes removed chunks that all indexes have processed. */
    dropRemoved: async (upToChange: number, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('transcript_chunks')
        .where('change', 'in', eb =>
          eb
            .selectFrom('transcript_chunks')
            .select('change')
            .where('removed', '=', 1)
            .where('change', '<=', upToChange)
            .limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}
