import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import type { SourceArtifactsTable } from '../../schema/source-schema.js'
import { listOf } from '../../sql/dialect.js'

export type ArtifactRow = Selectable<SourceArtifactsTable>
export type NewArtifact = Insertable<SourceArtifactsTable>
/** What a pass asks of what it knows. */
export type KnownArtifact = Pick<
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

const knownColumns = [
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

/** Files, messages and issues that were read of sources; their texts stand apart. */
export function sourceArtifactsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db), ...removals(db) }
}

function reads(db: Kysely<Schema>) {
  const living = (sourceId: string) =>
    db
      .selectFrom('source_artifacts')
      .where('source_id', '=', sourceId)
      // As in the condition of the indexes.
      .where(sql<boolean>`removed = 0`)
  return {
    byPath: (sourceId: string, path: string): Promise<ArtifactRow | undefined> =>
      living(sourceId).selectAll().where('path', '=', path).executeTakeFirst(),
    /** What is known of paths after one, in their order; before another, and below a prefix, where these are given. */
    knownAfter: (
      sourceId: string,
      { after, limit, before, prefix }: { after: string; limit: number; before?: string; prefix?: string },
    ): Promise<KnownArtifact[]> =>
      living(sourceId)
        .select(knownColumns)
        .where('path', '>', after)
        .$if(before !== undefined, query => query.where('path', '<', before as string))
        .$if(!!prefix, query =>
          query.where('path', '>=', prefix as string).where('path', '<', endOf(prefix as string)),
        )
        .orderBy('path')
        .limit(limit)
        .execute(),
    known: (sourceId: string, path: string): Promise<KnownArtifact | undefined> =>
      living(sourceId).select(knownColumns).where('path', '=', path).executeTakeFirst(),
    list: (sourceId: string, { limit, offset }: { limit: number; offset: number }): Promise<ArtifactRow[]> =>
      living(sourceId).selectAll().orderBy('path').limit(limit).offset(offset).execute(),
    /** Living artifacts after a path, in the order of paths. */
    livingAfter: (
      sourceId: string,
      { after, limit }: { after: string; limit: number },
    ): Promise<ArtifactRow[]> =>
      living(sourceId).selectAll().where('path', '>', after).orderBy('path').limit(limit).execute(),
    /** A living artifact of one of an agent's sources. */
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
    /** Living artifacts that another version of the content safety policy judged. */
    outdated: (policy: string, limit: number): Promise<ArtifactRow[]> =>
      db
        .selectFrom('source_artifacts')
        .selectAll()
        // Two ranges, so that the index answers: it has no "different from", and each has to be within its own condition.
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
    /** Writes an artifact with its text; the living one of the same id is replaced. */
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
    /** Notes that a pass saw artifacts, as they were before. */
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
    /** Marks artifacts as gone: nothing finds them any more. @returns what went. */
    markRemoved: async (sourceId: string, paths: readonly string[]) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1
        WHERE source_id = ${sourceId} AND removed = 0 AND path IN ${listOf(paths)}
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Marks some of the artifacts below a prefix that a pass did not tell of. @returns what went. */
    markUnseen: async (
      sourceId: string,
      { prefix, pass, limit }: { prefix: string; pass: number; limit: number },
    ) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1 WHERE id IN (SELECT id FROM source_artifacts
          WHERE source_id = ${sourceId} AND removed = 0 AND path >= ${prefix} AND path < ${endOf(prefix)}
          AND pass < ${pass} LIMIT ${limit})
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Marks some artifacts of a source, whichever. @returns what went. */
    markAny: async (sourceId: string, limit: number) => {
      const { rows } = await sql<{ chunk_count: number; fingerprint: string }>`
        UPDATE source_artifacts SET removed = 1 WHERE id IN (SELECT id FROM source_artifacts
          WHERE source_id = ${sourceId} AND removed = 0 LIMIT ${limit})
        RETURNING chunk_count, fingerprint`.execute(db)
      return marked(rows)
    },
    /** Ids of artifacts that are marked as gone and still have a row. */
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
    /** Sources of which artifacts are marked as gone. */
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

/** The first text that sorts behind everything that begins with a prefix; behind all texts for an empty one. */
function endOf(prefix: string): string {
  return prefix === '' ? '\u{10ffff}' : `${prefix}\u{10ffff}`
}
