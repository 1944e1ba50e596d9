import { type Kysely, type Selectable, sql } from 'kysely'
import type { CodeTiesTable } from '../../schema/code-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, unindexed } from '../../sql/dialect.js'
import { inBoundary, inSelection, type ReadBoundary } from '../memory/memory-filter.js'

export type CodeTieRow = Selectable<CodeTiesTable>

/** What a look at a tie found. */
export type TieLook = Pick<CodeTieRow, 'path' | 'line' | 'state' | 'moved_at'>

/** A memory that changed, with the beginning of its text where it is one of the project. */
export interface ChangedMemory {
  id: string
  change: number
  text: string | null
}

/** How many of a memory's ties are in which state. */
export interface MovedGround {
  memory_id: string
  here: number
  changed: number
  gone: number
}

/** A tie that moved, with the beginning of its memory. */
export type MovedTie = CodeTieRow & { content: string }

/** What memories say about code. */
export function codeTiesTable(db: Kysely<Schema>) {
  return { ...pass(db), ...lookups(db) }
}

function pass(db: Kysely<Schema>) {
  return {
    /** Memories that changed after another, of any project, in that order; deleted ones and those of others have no text. */
    changedMemories: async (
      { change, project, characters }: { change: number; project: string; characters: number },
      limit: number,
    ): Promise<ChangedMemory[]> => {
      const rows = await db
        .selectFrom('memories')
        .select(eb => [
          'id',
          'change',
          sql<string | null>`CASE WHEN is_deleted = 0 AND ${inSelection(eb, undefined, { project })}
            THEN substr(content, 1, ${characters}) END`.as('text'),
        ])
        .where('change', '>', change)
        .orderBy('change')
        .limit(limit)
        .execute()
      return rows
    },
    /** What memories say of a project from now on, in place of what they said before. */
    replaceTies: async (root: string, ids: readonly string[], ties: readonly CodeTieRow[]): Promise<void> => {
      await sql`DELETE FROM code_ties WHERE memory_id IN ${listOf(ids)} AND root = ${root}`.execute(db)
      for (const tie of ties)
        await db
          .insertInto('code_ties')
          .values(tie)
          .onConflict(conflict => conflict.doNothing())
          .execute()
    },
    /** Ties of a project behind another one, in the order of their names. */
    tiesAfter: (
      root: string,
      { memory_id: id, kind, target }: Pick<CodeTieRow, 'memory_id' | 'kind' | 'target'>,
      limit: number,
    ): Promise<CodeTieRow[]> =>
      db
        .selectFrom('code_ties')
        .selectAll()
        .where('root', '=', root)
        .where(sql<boolean>`(memory_id, kind, target) > (${id}, ${kind}, ${target})`)
        .orderBy('memory_id')
        .orderBy('kind')
        .orderBy('target')
        .limit(limit)
        .execute(),
    noteLook: async (tie: CodeTieRow, look: TieLook): Promise<void> => {
      await db
        .updateTable('code_ties')
        .set(look)
        .where('memory_id', '=', tie.memory_id)
        .where('root', '=', tie.root)
        .where('kind', '=', tie.kind)
        .where('target', '=', tie.target)
        .execute()
    },
    dropTies: async (root: string): Promise<void> => {
      await db.deleteFrom('code_ties').where('root', '=', root).execute()
    },
  }
}

function lookups(db: Kysely<Schema>) {
  return {
    tiesOf: async (memoryIds: readonly string[]): Promise<CodeTieRow[]> => {
      const { rows } = await sql<CodeTieRow>`SELECT * FROM code_ties
        WHERE memory_id IN ${listOf(memoryIds)} ORDER BY memory_id, kind, target`.execute(db)
      return rows
    },
    /** Of those memories of which some code moved, how much is as it was and how much is not. */
    movedAmong: async (memoryIds: readonly string[]): Promise<MovedGround[]> => {
      const { rows } =
        await sql<MovedGround>`SELECT memory_id, SUM(CASE state WHEN 'here' THEN 1 ELSE 0 END) AS here,
          SUM(CASE state WHEN 'changed' THEN 1 ELSE 0 END) AS changed, SUM(CASE state WHEN 'gone' THEN 1 ELSE 0 END) AS gone
        FROM code_ties WHERE memory_id IN ${listOf(memoryIds)} GROUP BY memory_id
        HAVING SUM(CASE state WHEN 'here' THEN 0 ELSE 1 END) > 0`.execute(db)
      return rows
    },
    /** What a reader's memories say of code that moved, the last that was seen first. */
    movedTies: (boundary: ReadBoundary, limit: number): Promise<MovedTie[]> =>
      db
        .selectFrom('code_ties')
        .innerJoin('memories', 'memories.id', 'code_ties.memory_id')
        .select([
          'memory_id',
          'root',
          'kind',
          'target',
          'code_ties.path as path',
          'line',
          'hash',
          'state',
          'moved_at',
        ])
        .select(sql<string>`substr(memories.content, 1, 200)`.as('content'))
        // As in the condition of the index.
        .where(sql<boolean>`code_ties.state <> 'here'`)
        .where(unindexed<number>('memories.is_deleted'), '=', 0)
        .where(eb => inBoundary(eb as unknown as Parameters<typeof inBoundary>[0], boundary))
        .orderBy('moved_at', 'desc')
        .limit(limit)
        .execute(),
  }
}
