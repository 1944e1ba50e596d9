import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type {
  SourceCheckpointsTable,
  SourceFaultsTable,
  SourceLinksTable,
} from '../../schema/source-schema.js'
import { listOf, unindexed } from '../../sql/dialect.js'

export type SourceCheckpoint = Selectable<SourceCheckpointsTable>
export type SourceFault = Selectable<SourceFaultsTable>
export type SourceLink = Selectable<SourceLinksTable>

/** Checkpoints, faults and links of sources. */
export function sourceNotesTable(db: Kysely<Schema>) {
  return { ...checkpoints(db), ...faults(db), ...links(db) }
}

function checkpoints(db: Kysely<Schema>) {
  return {
    checkpoint: async (sourceId: string, key: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('source_checkpoints')
        .select('value')
        .where('source_id', '=', sourceId)
        .where('key', '=', key)
        .executeTakeFirst()
      return row?.value
    },
    putCheckpoint: async (row: SourceCheckpoint): Promise<void> => {
      const { source_id: _source, key: _key, ...rest } = row
      await db
        .insertInto('source_checkpoints')
        .values(row)
        .onConflict(conflict => conflict.columns(['source_id', 'key']).doUpdateSet(rest))
        .execute()
    },
    dropCheckpoint: async (sourceId: string, key: string): Promise<void> => {
      await db
        .deleteFrom('source_checkpoints')
        .where('source_id', '=', sourceId)
        .where('key', '=', key)
        .execute()
    },
    dropCheckpoints: async (sourceId: string): Promise<void> => {
      await db.deleteFrom('source_checkpoints').where('source_id', '=', sourceId).execute()
    },
    /** @param before older checkpoints count as stale. */
    countCheckpoints: (sourceId: string, before: string) =>
      db
        .selectFrom('source_checkpoints')
        .select([
          sql<number>`count(*)`.as('total'),
          sql<number>`COALESCE(sum(partial), 0)`.as('partial'),
          sql<number>`COALESCE(sum(CASE WHEN updated_at < ${before} THEN 1 ELSE 0 END), 0)`.as('stale'),
          sql<string | null>`max(updated_at)`.as('latest'),
        ])
        .where('source_id', '=', sourceId)
        .executeTakeFirstOrThrow(),
  }
}

function faults(db: Kysely<Schema>) {
  return {
    putFault: async (row: SourceFault): Promise<void> => {
      const { source_id: _source, path: _path, ...rest } = row
      await db
        .insertInto('source_faults')
        .values(row)
        .onConflict(conflict => conflict.columns(['source_id', 'path']).doUpdateSet(rest))
        .execute()
    },
    /** Deletes faults of paths that were read successfully since. */
    dropFaults: async (sourceId: string, paths: readonly string[]): Promise<void> => {
      await sql`DELETE FROM source_faults WHERE source_id = ${sourceId} AND path IN ${listOf(paths)}`.execute(
        db,
      )
    },
    /** Deletes faults that did not recur in a complete pass. */
    dropFaultsBefore: async (sourceId: string, pass: number): Promise<void> => {
      await db
        .deleteFrom('source_faults')
        .where('source_id', '=', sourceId)
        .where('pass', '<', pass)
        .execute()
    },
    countFaults: (sourceId: string) =>
      db
        .selectFrom('source_faults')
        .select([
          sql<number>`count(*)`.as('total'),
          sql<number>`COALESCE(sum(recoverable), 0)`.as('recoverable'),
        ])
        .where('source_id', '=', sourceId)
        .executeTakeFirstOrThrow(),
    newestFaults: (sourceId: string, limit: number): Promise<SourceFault[]> =>
      db
        .selectFrom('source_faults')
        .selectAll()
        .where('source_id', '=', sourceId)
        .orderBy('at', 'desc')
        .orderBy('path')
        .limit(limit)
        .execute(),
    /** Returns denied paths, with instructions for the user. */
    denials: (sourceId: string, limit: number): Promise<SourceFault[]> =>
      db
        .selectFrom('source_faults')
        .selectAll()
        .where('source_id', '=', sourceId)
        .where('guidance', 'is not', null)
        .orderBy('path')
        .limit(limit)
        .execute(),
  }
}

function links(db: Kysely<Schema>) {
  return {
    putLinks: async (artifactId: string, rows: readonly SourceLink[]): Promise<void> => {
      await db.deleteFrom('source_links').where('artifact_id', '=', artifactId).execute()
      if (rows.length > 0)
        await db
          .insertInto('source_links')
          .values([...rows])
          .execute()
    },
    /** Returns links of a source after a cursor, in order, each with the path of its artifact. */
    linksAfter: (
      sourceId: string,
      after: { artifactId: string; position: number },
      limit: number,
    ): Promise<(SourceLink & { from_path: string })[]> =>
      db
        .selectFrom('source_links as l')
        .innerJoin('source_artifacts as a', 'a.id', 'l.artifact_id')
        .selectAll('l')
        .select('a.path as from_path')
        .where('l.source_id', '=', sourceId)
        .where(unindexed<number>('a.removed'), '=', 0)
        .where(sql<boolean>`(l.artifact_id, l.position) > (${after.artifactId}, ${after.position})`)
        .orderBy('l.artifact_id')
        .orderBy('l.position')
        .limit(limit)
        .execute(),
    leadTo: async (
      { artifact_id, position }: Pick<SourceLink, 'artifact_id' | 'position'>,
      toPath: string | null,
    ) => {
      await db
        .updateTable('source_links')
        .set({ to_path: toPath })
        .where('artifact_id', '=', artifact_id)
        .where('position', '=', position)
        .execute()
    },
  }
}
