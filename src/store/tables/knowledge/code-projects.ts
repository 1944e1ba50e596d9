import { type Kysely, type Selectable, sql } from 'kysely'
import type { CodeProjectsTable } from '../../schema/code-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

export type CodeProjectRow = Selectable<CodeProjectsTable>

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
