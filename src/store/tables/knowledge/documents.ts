import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { DocumentsTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { byIndex, listOf, unindexed } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'
import type { ReadBoundary } from '../memory/memory-filter.js'

export type DocumentRow = Selectable<DocumentsTable>
export type NewDocument = Insertable<DocumentsTable>

/** The unique key of a document. */
export type DocumentKey = Pick<DocumentRow, 'agent_id' | 'project'> & { source_url: string }

/** UTF-16 units per stored part, so that one write takes only a few milliseconds. */
const partLength = 512 * 1024

export interface DocumentQuery {
  boundary: ReadBoundary
  /** Undefined selects all but deleted documents. */
  status?: string | undefined
  limit: number
  offset: number
  /** Newest first by default. */
  sort?: keyof typeof orders | undefined
}

const orders = {
  newest: sql`created_at DESC, id DESC`,
  oldest: sql`created_at, id`,
  changed: sql`updated_at DESC, id DESC`,
} as const

/** Documents and their texts that wait for processing. */
export function documentsTable(db: Kysely<Schema>) {
  return { ...reads(db), ...writes(db), ...texts(db), ...unfinished(db), ...aged(db) }
}

/**
 * Matches documents of agents whose global rows the reader sees, within the project and author of its
 * credential.
 */
function visibleIn({ agents, globalOf, only }: ReadBoundary): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = []
  if (globalOf !== 'all') all.push(sql`agent_id IN (${sql.join([...agents, ...globalOf])})`)
  if (only?.project !== undefined) all.push(sameProject('project', only.project))
  if (only?.who !== undefined) all.push(sql`who = ${only.who}`)
  return all.length > 0 ? sql<boolean>`${sql.join(all, sql` AND `)}` : sql<boolean>`TRUE`
}

export const unfinishedStatuses = ['queued', 'extracting', 'chunking', 'embedding', 'indexing']
/** All but deleted ones. */
export const notDeletedStatuses = [...unfinishedStatuses, 'done', 'failed']

function reads(db: Kysely<Schema>) {
  const selected = ({ boundary, status }: Pick<DocumentQuery, 'boundary' | 'status'>) => {
    const rows = db.selectFrom('documents').where(visibleIn(boundary))
    // Matches the condition of the index.
    return status === undefined
      ? rows.where(sql<boolean>`status <> 'deleted'`)
      : rows.where('status', '=', status)
  }
  const counted = async ({ boundary, status }: Pick<DocumentQuery, 'boundary' | 'status'>) => {
    const { count } = await db
      .selectFrom('documents')
      .select(sql<number>`count(*)`.as('count'))
      .where('status', 'in', status === undefined ? notDeletedStatuses : [status])
      .where(visibleIn(boundary))
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    /** Returns one document, deleted ones included; undefined when it is absent or outside the boundary. */
    find: (id: string, boundary: ReadBoundary): Promise<DocumentRow | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('id', '=', id)
        .where(visibleIn(boundary))
        .executeTakeFirst(),
    /** Returns one document without an access check. */
    load: (id: string): Promise<DocumentRow | undefined> =>
      db.selectFrom('documents').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns documents in the order asked for. */
    list: async (query: DocumentQuery): Promise<DocumentRow[]> => {
      // Ids first, because an index covers the filter.
      const page = await selected(query)
        .select('id')
        .orderBy(orders[query.sort ?? 'newest'])
        .limit(query.limit)
        .offset(query.offset)
        .execute()
      const { rows } = await sql<DocumentRow>`SELECT * FROM documents
        WHERE id IN ${listOf(page.map(({ id }) => id))}`.execute(db)
      const byId = new Map(rows.map(row => [row.id, row]))
      return page.flatMap(({ id }) => byId.get(id) ?? [])
    },
    count: counted,
    /** Returns the document of an address in one agent and project, unless deleted; there is at most one. */
    at: ({ agent_id, project, source_url }: DocumentKey): Promise<DocumentRow | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('source_url', '=', source_url)
        .where('agent_id', '=', agent_id)
        .where(sql<boolean>`COALESCE(project, '') = ${project ?? ''}`)
        // Matches the condition of the index.
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
    /** Updates a document unless it is deleted. @returns false when it is. */
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

/** Texts that are stored only here until their chunks exist. */
function texts(db: Kysely<Schema>) {
  const dropText = async (id: string): Promise<void> => {
    await db.deleteFrom('document_texts').where('document_id', '=', id).execute()
  }
  return {
    /** Replaces the text of a document, yielding to other work between parts. */
    putText: async (id: string, text: string): Promise<void> => {
      await dropText(id)
      for (let part = 0, from = 0; part === 0 || from < text.length; part++) {
        if (part > 0) await nextTurn()
        const some = wholeCharacters(text.slice(from, from + partLength))
        await db.insertInto('document_texts').values({ document_id: id, part, text: some }).execute()
        from += some.length
      }
    },
    /** Reads the text in parts, yielding between them; empty when there is none. */
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

/** Drops a trailing high surrogate, so that a character is not split between parts. */
function wholeCharacters(text: string): string {
  return text.length === partLength && /[\uD800-\uDBFF]$/u.test(text) ? text.slice(0, -1) : text
}

function aged(db: Kysely<Schema>) {
  return {
    /**
     * Deletes empty rows of documents deleted before the given time, at most `limit`. @returns the number
     * deleted.
     */
    purge: async (before: string, limit: number): Promise<number> => {
      const { numAffectedRows = 0n } = await sql`DELETE FROM documents WHERE id IN (
        SELECT id FROM ${byIndex('documents', 'documents_status')} WHERE status = 'deleted' AND created_at < ${before}
        AND updated_at < ${before} AND ${isEmpty} ORDER BY created_at LIMIT ${limit})`.execute(db)
      return Number(numAffectedRows)
    },
  }
}

/** An interrupted removal may have left chunks or texts that still must be deleted. */
const isEmpty = sql`NOT EXISTS (SELECT 1 FROM document_chunks c WHERE c.document_id = documents.id)
  AND NOT EXISTS (SELECT 1 FROM document_texts t WHERE t.document_id = documents.id)`

/** Finds what a killed process left; runs once at startup. */
function unfinished(db: Kysely<Schema>) {
  return {
    /** Returns unfinished documents without an open job: their job crashed the daemon each time. */
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
    /** Returns deleted documents that still have chunks or a text. */
    halfDeleted: async (): Promise<{ id: string }[]> => {
      const { rows } = await sql<{ id: string }>`SELECT id FROM documents WHERE status = 'deleted'
        AND (EXISTS (SELECT 1 FROM document_chunks c WHERE c.document_id = documents.id)
          OR EXISTS (SELECT 1 FROM document_texts t WHERE t.document_id = documents.id))`.execute(db)
      return rows
    },
  }
}
