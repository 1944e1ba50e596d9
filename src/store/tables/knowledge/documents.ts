import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { DocumentsTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { byIndex, listOf, unindexed } from '../../sql/dialect.js'
import type { ReadBoundary } from '../memory/memory-filter.js'

export type DocumentRow = Selectable<DocumentsTable>
export type NewDocument = Insertable<DocumentsTable>

/** Where a document stands, and what it holds. */
export type DocumentPlace = Pick<DocumentRow, 'agent_id' | 'project'> & { source_url: string }

/** UTF-16 units of one part of a text: writing it takes a few milliseconds. */
const partLength = 512 * 1024

export interface DocumentQuery {
  boundary: ReadBoundary
  /** Without one everything but deleted documents. */
  status?: string | undefined
  limit: number
  offset: number
}

/** Documents with the texts that wait to be read. */
export function documentsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db), ...texts(db), ...unfinished(db), ...aged(db) }
}

/** Documents of agents whose global rows the reader sees; a project or an author that confines a reader confines here too. */
function visibleIn({ agents, globalOf, only }: ReadBoundary): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = []
  if (globalOf !== 'all') all.push(sql`agent_id IN (${sql.join([...agents, ...globalOf])})`)
  if (only?.project !== undefined) all.push(sql`project = ${only.project}`)
  if (only?.who !== undefined) all.push(sql`who = ${only.who}`)
  return all.length > 0 ? sql<boolean>`${sql.join(all, sql` AND `)}` : sql<boolean>`TRUE`
}

/** On their way. */
export const unfinishedStatuses = ['queued', 'extracting', 'chunking', 'embedding', 'indexing']
/** All but deleted ones. */
export const living = [...unfinishedStatuses, 'done', 'failed']

function reads(db: Kysely<Schema>) {
  const selected = ({ boundary, status }: Pick<DocumentQuery, 'boundary' | 'status'>) => {
    const rows = db.selectFrom('documents').where(visibleIn(boundary))
    // As in the condition of the index.
    return status === undefined
      ? rows.where(sql<boolean>`status <> 'deleted'`)
      : rows.where('status', '=', status)
  }
  const counted = async ({ boundary, status }: Pick<DocumentQuery, 'boundary' | 'status'>) => {
    const { count } = await db
      .selectFrom('documents')
      .select(sql<number>`count(*)`.as('count'))
      .where('status', 'in', status === undefined ? living : [status])
      .where(visibleIn(boundary))
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    /** One document, deleted ones included; undefined when it is absent or outside the boundary. */
    find: (id: string, boundary: ReadBoundary): Promise<DocumentRow | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('id', '=', id)
        .where(visibleIn(boundary))
        .executeTakeFirst(),
    /** One document, whoever may see it. */
    load: (id: string): Promise<DocumentRow | undefined> =>
      db.selectFrom('documents').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Newest first. */
    list: async (query: DocumentQuery): Promise<DocumentRow[]> => {
      // Ids first: an index holds what selects them.
      const page = await selected(query)
        .select('id')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(query.limit)
        .offset(query.offset)
        .execute()
      const { rows } = await sql<DocumentRow>`SELECT * FROM documents
        WHERE id IN ${listOf(page.map(({ id }) => id))}`.execute(db)
      const byId = new Map(rows.map(row => [row.id, row]))
      return page.flatMap(({ id }) => byId.get(id) ?? [])
    },
    count: counted,
    /** The document of an address that is not deleted, in one agent and project: there is one at most. */
    at: ({ agent_id, project, source_url }: DocumentPlace): Promise<DocumentRow | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('source_url', '=', source_url)
        .where('agent_id', '=', agent_id)
        .where(sql<boolean>`COALESCE(project, '') = ${project ?? ''}`)
        // As in the condition of the index.
        .where(sql<boolean>`source_url IS NOT NULL AND status <> 'deleted'`)
        .executeTakeFirst(),
  }
}

function writes(db: Kysely<Schema>) {
  return {
    insert: async (row: NewDocument): Promise<void> => {
      await db.insertInto('documents').values(row).execute()
    },
    update: async (id: string, change: Partial<NewDocument>): Promise<void> => {
      await db.updateTable('documents').set(change).where('id', '=', id).execute()
    },
    /** Changes a document that is not deleted. @returns false when it is. */
    advance: async (id: string, change: Partial<NewDocument>): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('documents')
        .set(change)
        .where('id', '=', id)
        .where(unindexed<string>('status'), '<>', 'deleted')
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}

/** Texts that are nowhere else, until their chunks stand. */
function texts(db: Kysely<Schema>) {
  const dropText = async (id: string): Promise<void> => {
    await db.deleteFrom('document_texts').where('document_id', '=', id).execute()
  }
  return {
    /** Keeps the text of a document in place of what it had, with turns for others between parts of it. */
    putText: async (id: string, text: string): Promise<void> => {
      await dropText(id)
      for (let part = 0, from = 0; part === 0 || from < text.length; part++) {
        if (part > 0) await nextTurn()
        const some = wholeCharacters(text.slice(from, from + partLength))
        await db.insertInto('document_texts').values({ document_id: id, part, text: some }).execute()
        from += some.length
      }
    },
    /** The text in its parts, read with turns between; none when there is none. */
    textOf: async (id: string): Promise<string[]> => {
      const parts: string[] = []
      for (;;) {
        const row = await db
          .selectFrom('document_texts')
          .select('text')
          .where('document_id', '=', id)
          .where('part', '=', parts.length)
          .executeTakeFirst()
        if (!row) return parts
        parts.push(row.text)
        if (row.text.length >= partLength - 1) await nextTurn()
      }
    },
    dropText,
  }
}

/** Without the first half of a character whose second half it has not. */
function wholeCharacters(text: string): string {
  return text.length === partLength && /[\uD800-\uDBFF]$/u.test(text) ? text.slice(0, -1) : text
}

function aged(db: Kysely<Schema>) {
  return {
    /**
     * Deletes rows of documents that were deleted before the given time and hold nothing any more, at most `limit`.
     * @returns how many.
     */
    purge: async (before: string, limit: number): Promise<number> => {
      const { numAffectedRows = 0n } = await sql`DELETE FROM documents WHERE id IN (
        SELECT id FROM ${byIndex('documents', 'documents_status')} WHERE status = 'deleted' AND created_at < ${before}
        AND updated_at < ${before} AND ${holdsNothing} ORDER BY created_at LIMIT ${limit})`.execute(db)
      return Number(numAffectedRows)
    },
  }
}

/** What a removal that was cut short left is still to be taken from it. */
const holdsNothing = sql`NOT EXISTS (SELECT 1 FROM document_chunks c WHERE c.document_id = documents.id)
  AND NOT EXISTS (SELECT 1 FROM document_texts t WHERE t.document_id = documents.id)`

/** What a kill left, looked for once at a start. */
function unfinished(db: Kysely<Schema>) {
  return {
    /** Documents on their way that no job is open for: their job ended the daemon each time. */
    withoutJob: (kind: string): Promise<{ id: string }[]> =>
      db
        .selectFrom('documents')
        .select('id')
        .where('status', 'in', unfinishedStatuses)
        .where(
          sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = ${kind} AND j.subject = documents.id
            AND j.status IN ('pending', 'leased'))`,
        )
        .execute(),
    /** Deleted or failed documents that still have chunks or a text. */
    halfDeleted: async (): Promise<{ id: string }[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM documents WHERE status = 'deleted'
        AND (EXISTS (SELECT 1 FROM document_chunks c WHERE c.document_id = documents.id)
          OR EXISTS (SELECT 1 FROM document_texts t WHERE t.document_id = documents.id))`.execute(db)
      return rows
    },
  }
}
