import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SourceArtifactsTable } from '../../schema/source-schema.js'
import { listOf } from '../../sql/dialect.js'

export type ArtifactRow = Selectable<SourceArtifactsTable>
export type NewArtifact = Insertable<SourceArtifactsTable>
/** The stored state of an artifact that an indexing pass compares with. */
export type StoredArtifact = Pick<
  ArtifactRow,
  | 'id'
  | 'path'
  | 'title'
  | 'fingerprint'
  | 'content_hash'
  | 'pass'
  | 'is_local_only'
  | 'source_updated_at'
  | 'chunk_count'
>

const storedColumns = [
  'id',
  'path',
  'title',
  'fingerprint',
  'content_hash',
  'pass',
  'is_local_only',
  'source_updated_at',
  'chunk_count',
] as const

/** Files, messages and issues read from sources; their texts are in a table of their own. */
export function sourceArtifactsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db), ...removals(db) }
}

function reads(db: Kysely<Schema>) {
  const living = (sourceId: string) =>
    db
      .selectFrom('source_artifacts')
      .where('source_id', '=', sourceId)
      // Matches the condition of the indexes.
      .where(sql<boolean>`removed = 0`)
  return {
    byPath: (sourceId: string, path: string): Promise<ArtifactRow | undefined> =>
      living(sourceId).selectAll().where('path', '=', path).executeTakeFirst(),
    /** Returns stored states after a path in path order, optionally before another path and with a prefix. */
    knownAfter: (
      sourceId: string,
      { after, limit, before, prefix }: { after: string; limit: number; before?: string; prefix?: string },
    ): Promise<StoredArtifact[]> =>
      living(sourceId)
        .select(storedColumns)
        .where('path', '>', after)
        .$if(before !== undefined, query => query.where('path', '<', before as string))
        .$if(!!prefix, query =>
          query.where('path', '>=', prefix as string).where('path', '<', prefixEnd(prefix as string)),
        )
        .orderBy('path')
        .limit(limit)
        .execute(),
    known: (sourceId: string, path: string): Promise<StoredArtifact | undefined> =>
      living(sourceId).select(storedColumns).where('path', '=', path).executeTakeFirst(),
    list: (sourceId: string, { limit, offset }: { limit: number; offset: number }): Promise<ArtifactRow[]> =>
      living(sourceId).selectAll().orderBy('path').limit(limit).offset(offset).execute(),
    /** Returns existing artifacts after a path, in path order. */
    livingAfter: (
      sourceId: string,
      { after, limit }: { after: string; limit: number },
    ): Promise<ArtifactRow[]> =>
      living(sourceId).selectAll().where('path', '>', after).orderBy('path').limit(limit).execute(),
    /** Returns an existing artifact in one of an agent's sources. */
    ofAgent: async (agentId: string, id: string): Promise<ArtifactRow | undefined> => {
      const { rows } =
        await sql<ArtifactRow>`SELECT a.* FROM source_artifacts a JOIN sources s ON s.id = a.source_id
        WHERE a.id = ${id} AND a.removed = 0 AND s.agent_id = ${agentId} AND s.removed_at IS NULL`.execute(db)
      return rows[0]
    },
    textOf: async (id: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('source_texts')
        .select('text')
        .where('artifact_id', '=', id)
        .executeTakeFirst()
      return row?.text
    },
    /** Returns existing artifacts judged with another version of the content safety policy. */
    outdated: (policy: string, limit: number): Promise<ArtifactRow[]> =>
      db
        .selectFrom('source_artifacts')
        .selectAll()
        // Two ranges, because the index cannot serve <>; each must repeat the index's condition.
        .where(
          sql<boolean>`((removed = 0 AND safety_policy < ${policy}) OR (removed = 0 AND safety_policy > ${policy}))`,
        )
        .limit(limit)
        .execute(),
    latestUpdate: async (sourceId: string): Promise<string | null> => {
      const row = await living(sourceId)
        .select('source_updated_at')
        .where('source_updated_at', 'is not', null)
        .orderBy('source_updated_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.source_updated_at ?? null
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    /** Saves an artifact with its text, replacing one with the same id. */
    put: async (row: NewArtifact, text: string): Promise<void> => {
      const { id: _id, created_at: _created, ...rest } = row
      await db
        .insertInto('source_artifacts')
        .values(row)
        .onConflict(conflict => conflict.column('id').doUpdateSet(rest))
        .execute()
      await db
        .insertInto('source_texts')
        .values({ artifact_id: row.id, text })
        .onConflict(conflict => conflict.column('artifact_id').doUpdateSet({ text }))
        .execute()
    },
    change: async (id: string, fields: Partial<ArtifactRow>): Promise<void> => {
      await db.updateTable('source_artifacts').set(fields).where('id', '=', id).execute()
    },
    /** Marks unchanged artifacts as seen in a pass. */
    noteSeen: async (sourceId: string, paths: readonly string[], pass: number): Promise<void> => {
      await sql`UPDATE source_artifacts SET pass = ${pass}
        WHERE source_id = ${sourceId} AND removed = 0 AND path IN ${listOf(paths)}`.execute(db)
    },
  }
}

function removals(db: Kysely<Schema>) {
  const marked = (rows: readonly { chunk_count: number; fingerprint: string }[]) => ({
    artifacts: rows.length,
    chunks: rows.reduce((sum, { chunk_count }) => sum + chunk_count, 0),
    covered: rows.filter(({ fingerprint }) => fingerprint !== '').length,
  })
  return {
    /** Marks artifacts as removed, which hides them. @returns what was removed. */
    markRemoved: async (sourceId: string, paths: readonly string[]) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1
        WHERE source_id = ${sourceId} AND removed = 0 AND path IN ${listOf(paths)}
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Marks artifacts with a prefix as removed that a pass did not see. @returns what was removed. */
    markUnseen: async (
      sourceId: string,
      { prefix, pass, limit }: { prefix: string; pass: number; limit: number },
    ) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1 WHERE id IN (SELECT id FROM source_artifacts
          WHERE source_id = ${sourceId} AND removed = 0 AND path >= ${prefix} AND path < ${prefixEnd(prefix)}
          AND pass < ${pass} LIMIT ${limit})
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Marks up to `limit` artifacts of a source as removed. @returns what was removed. */
    markAny: async (sourceId: string, limit: number) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1 WHERE id IN (SELECT id FROM source_artifacts
          WHERE source_id = ${sourceId} AND removed = 0 LIMIT ${limit})
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Returns ids of removed artifacts that still have a row. */
    removedOf: async (sourceId: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('source_artifacts')
        .select('id')
        .where('source_id', '=', sourceId)
        .where(sql<boolean>`removed = 1`)
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },
    /** Returns sources that have removed artifacts. */
    sourcesWithRemoved: async (): Promise<string[]> => {
      const rows = await db
        .selectFrom('sources')
        .select('id')
        .where(
          sql<boolean>`EXISTS (SELECT 1 FROM source_artifacts WHERE source_id = sources.id AND removed = 1)`,
        )
        .execute()
      return rows.map(({ id }) => id)
    },
    countRemoved: async (sourceId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('source_artifacts')
        .select(sql<number>`count(*)`.as('count'))
        .where('source_id', '=', sourceId)
        .where(sql<boolean>`removed = 1`)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Deletes the row of an artifact with its text and links. */
    drop: async (id: string): Promise<void> => {
      await db.deleteFrom('source_artifacts').where('id', '=', id).execute()
    },
  }
}

/** Returns the upper bound of texts with a prefix; of all texts for an empty one. */
function prefixEnd(prefix: string): string {
  return prefix === '' ? '\u{10ffff}' : `${prefix}\u{10ffff}`
}
