import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { ProjectChangesTable, ProjectPlacesTable, ProjectsTable } from '../../schema/platform-schema.js'
import type { Schema } from '../../schema/schema.js'

export type ProjectRow = Selectable<ProjectsTable>
export type PlaceRow = Selectable<ProjectPlacesTable>
export type ProjectChangeRow = Selectable<ProjectChangesTable>

/** Numbers of rows under any key of a project. */
export interface ProjectCounts {
  memories: number
  sessions: number
}

/** Projects, with their keys, places and changes (docs/projects.md). */
export function projectsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db), ...changes(db) }
}

function reads(db: Kysely<Schema>) {
  return {
    all: (): Promise<ProjectRow[]> => db.selectFrom('projects').selectAll().execute(),
    keys: () => db.selectFrom('project_keys').selectAll().execute(),
    places: (): Promise<PlaceRow[]> => db.selectFrom('project_places').selectAll().execute(),
    /** Returns the distinct projects that rows name, for a database from before projects had a table. */
    named: async (): Promise<{ project: string; at: string }[]> => {
      const { rows } = await sql<{ project: string; at: string }>`SELECT project, max(at) AS at FROM (
        SELECT project, created_at AS at FROM memories WHERE project IS NOT NULL
        UNION ALL SELECT project, held_at FROM memory_holders WHERE project IS NOT NULL
        UNION ALL SELECT project, seen_at FROM sessions WHERE project IS NOT NULL
        UNION ALL SELECT project, ends_at FROM temporal_nodes WHERE project IS NOT NULL) listed
        GROUP BY project`.execute(db)
      return rows
    },
    /** Counts live memories and sessions by the key in their row. */
    counts: async (): Promise<Map<string, ProjectCounts>> => {
      const { rows } = await sql<ProjectCounts & { project: string }>`
        SELECT project, sum(memories) AS memories, sum(sessions) AS sessions FROM (
          SELECT project, count(*) AS memories, 0 AS sessions FROM memories
            WHERE is_deleted = 0 AND project IS NOT NULL AND type <> 'document_chunk' GROUP BY project
          UNION ALL SELECT project, 0, count(*) FROM sessions WHERE project IS NOT NULL GROUP BY project) listed
        GROUP BY project`.execute(db)
      return new Map(rows.map(({ project, ...counts }) => [project, counts]))
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    add: async (row: ProjectRow): Promise<void> => {
      await db
        .insertInto('projects')
        .values(row)
        .onConflict(conflict => conflict.column('key').doNothing())
        .execute()
    },
    drop: async (key: string): Promise<void> => {
      await db.deleteFrom('projects').where('key', '=', key).execute()
    },
    rename: async (key: string, name: string): Promise<void> => {
      await db.updateTable('projects').set({ name }).where('key', '=', key).execute()
    },
    use: async (key: string, at: string): Promise<void> => {
      await db.updateTable('projects').set({ used_at: at }).where('key', '=', key).execute()
    },
    /** Gives a key to a project, taking it from another one. */
    putKey: async (key: string, project: string): Promise<void> => {
      await db
        .insertInto('project_keys')
        .values({ key, project })
        .onConflict(conflict => conflict.column('key').doUpdateSet({ project }))
        .execute()
    },
    dropKey: async (key: string): Promise<void> => {
      await db.deleteFrom('project_keys').where('key', '=', key).execute()
    },
    /** Gives a folder to a project, taking it from another one. */
    putPlace: async (place: PlaceRow): Promise<void> => {
      const { project, fixed, seen_at } = place
      await db
        .insertInto('project_places')
        .values(place)
        .onConflict(conflict => conflict.column('path').doUpdateSet({ project, fixed, seen_at }))
        .execute()
    },
    dropPlace: async (path: string): Promise<void> => {
      await db.deleteFrom('project_places').where('path', '=', path).execute()
    },
  }
}

function changes(db: Kysely<Schema>) {
  return {
    noteChange: async (row: Insertable<ProjectChangesTable>): Promise<void> => {
      await db.insertInto('project_changes').values(row).execute()
    },
    change: (id: string): Promise<ProjectChangeRow | undefined> =>
      db.selectFrom('project_changes').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns the changes of a project, newest first. */
    changesOf: (project: string, limit: number): Promise<ProjectChangeRow[]> =>
      db
        .selectFrom('project_changes')
        .selectAll()
        .where('project', '=', project)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    markUndone: async (id: string, at: string): Promise<void> => {
      await db.updateTable('project_changes').set({ undone_at: at }).where('id', '=', id).execute()
    },
  }
}
