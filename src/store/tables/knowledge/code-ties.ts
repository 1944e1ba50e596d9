import { expressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { CodeProjectsTable, CodeTiesTable } from '../../schema/code-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, unindexed } from '../../sql/dialect.js'
import { inChangeOrder } from '../memory/change-order.js'
import { inBoundary, inSelection, type ReadBoundary } from '../memory/memory-filter.js'

export type CodeTieRow = Selectable<CodeTiesTable>

/** The result of checking a tie. */
export type TieCheck = Pick<CodeTieRow, 'path' | 'line' | 'state' | 'moved_at'>

/** A changed memory, with the beginning of its text if it belongs to the project. */
export interface ChangedMemory {
  id: string
  change: number
  text: string | null
}

/** The number of a memory's ties in each state. */
export interface TieStateCounts {
  memory_id: string
  here: number
  changed: number
  gone: number
}

/** A tie whose code moved, with the beginning of its memory. */
export type MovedTie = CodeTieRow & { content: string }

export type CodeProjectRow = Selectable<CodeProjectsTable>

/** Ties between memories and the code they mention. */
export function codeTiesTable(db: Kysely<Schema>) {
  return { ...pass(db), ...lookups(db) }
}

function pass(db: Kysely<Schema>) {
  return {
    /**
     * Returns memories of any project changed after a number, in order; deleted ones and those of other
     * projects have no text.
     */
    changedMemories: async (
      { change, project, characters }: { change: number; project: string; characters: number },
      limit: number,
    ): Promise<ChangedMemory[]> => {
      const isOfProject = inSelection(expressionBuilder<Schema, 'memories'>(), undefined, { project })
      const columns = sql`id, memories.change,
        CASE WHEN is_deleted = 0 AND ${isOfProject} THEN substr(content, 1, ${characters}) END AS text`
      return (await inChangeOrder<ChangedMemory>(columns, 'after', { change, limit }).execute(db)).rows
    },
    /** Replaces the ties that memories have to a project. */
    replaceTies: async (root: string, ids: readonly string[], ties: readonly CodeTieRow[]): Promise<void> => {
      await sql`DELETE FROM code_ties WHERE memory_id IN ${listOf(ids)} AND root = ${root}`.execute(db)
      for (const tie of ties)
        await db
          .insertInto('code_ties')
          .values(tie)
          .onConflict(conflict => conflict.doNothing())
          .execute()
    },
    /** Returns ties of a project after another one, in key order. */
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
    noteLook: async (tie: CodeTieRow, look: TieCheck): Promise<void> => {
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
    /** Counts tie states of the given memories that have moved code. */
    movedAmong: async (memoryIds: readonly string[]): Promise<TieStateCounts[]> => {
      const { rows } =
        await sql<TieStateCounts>`SELECT memory_id, SUM(CASE state WHEN 'here' THEN 1 ELSE 0 END) AS here,
          SUM(CASE state WHEN 'changed' THEN 1 ELSE 0 END) AS changed, SUM(CASE state WHEN 'gone' THEN 1 ELSE 0 END) AS gone
        FROM code_ties WHERE memory_id IN ${listOf(memoryIds)} GROUP BY memory_id
        HAVING SUM(CASE state WHEN 'here' THEN 0 ELSE 1 END) > 0`.execute(db)
      return rows
    },
    /** Returns ties of a reader's memories whose code moved, most recently seen first. */
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
        // Matches the condition of the index.
        .where(sql<boolean>`code_ties.state <> 'here'`)
        .where(unindexed<number>('memories.is_deleted'), '=', 0)
        .where(eb => inBoundary(eb as unknown as Parameters<typeof inBoundary>[0], boundary))
        .orderBy('moved_at', 'desc')
        // Those of one pass have one time. The index ends with the key, in this order.
        .orderBy('memory_id', 'desc')
        .orderBy('root', 'desc')
        .orderBy('kind', 'desc')
        .orderBy('target', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** Folders whose code is indexed, or may be. */
export function codeProjectsTable(db: Kysely<Schema>) {
  return {
    find: (root: string): Promise<CodeProjectRow | undefined> =>
      db.selectFrom('code_projects').selectAll().where('root', '=', root).executeTakeFirst(),
    /** Returns the given folders that are registered. */
    among: async (roots: readonly string[]): Promise<CodeProjectRow[]> => {
      const { rows } =
        await sql<CodeProjectRow>`SELECT * FROM code_projects WHERE root IN ${listOf(roots)}`.execute(db)
      return rows
    },
    indexed: (): Promise<CodeProjectRow[]> =>
      db
        .selectFrom('code_projects')
        .selectAll()
        .where('indexed_at', 'is not', null)
        .orderBy('root')
        .execute(),
    /** Registers a folder; the `named` flag, once set, stays. */
    note: async ({
      root,
      project,
      named,
      now,
    }: {
      root: string
      project: string | null
      named: boolean
      now: string
    }): Promise<void> => {
      await db
        .insertInto('code_projects')
        .values({ root, project, named: named ? 1 : 0, created_at: now, indexed_at: null, job: null })
        .onConflict(conflict => conflict.column('root').doUpdateSet({ project, ...(named && { named: 1 }) }))
        .execute()
    },
    change: async (root: string, change: Partial<CodeProjectRow>): Promise<void> => {
      await db.updateTable('code_projects').set(change).where('root', '=', root).execute()
    },
    /** Returns the given folders that a session worked in or belonged to. */
    workedIn: async (folders: readonly string[]): Promise<string[]> => {
      const found = async (column: 'project' | 'cwd') => {
        const name = sql.ref(column)
        const { rows } = await sql<{ folder: string }>`SELECT DISTINCT ${name} AS folder FROM sessions
          WHERE ${name} IN ${listOf(folders)}`.execute(db)
        return rows.map(({ folder }) => folder)
      }
      return [...new Set([...(await found('project')), ...(await found('cwd'))])]
    },
  }
}
