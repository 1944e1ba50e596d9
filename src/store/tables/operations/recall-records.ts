import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { RecallRecordResultsTable, RecallRecordsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'
import { deleteOlder } from '../../sql/delete-older.js'
import { listOf } from '../../sql/dialect.js'
import { sameProject } from '../../sql/same-project.js'

export type RecallRecordRow = Selectable<RecallRecordsTable>
export type RecallRecordResultRow = Selectable<RecallRecordResultsTable>
export type NewRecallRecord = Insertable<RecallRecordsTable>
export type NewRecallResult = Omit<Insertable<RecallRecordResultsTable>, 'record_id'>

export interface RecallRecordFilter {
  /** Undefined selects all agents. */
  agentId?: string | undefined
  sessionKey?: string | undefined
  route?: string | undefined
  /** ISO 8601, both inclusive. */
  since?: string | undefined
  until?: string | undefined
  noHits?: boolean | undefined
  /** The scope of the reader's credential; only records with the same scope match. */
  project?: string | undefined
  user?: string | undefined
  /** Restricts to these records. */
  ids?: readonly string[] | undefined
}

/** A cursor in the list, which is newest first. */
export interface RecallRecordCursor {
  created_at: string
  id: string
}

/** Recorded recalls with their results (telemetry.md 5). */
export function recallRecordsTable(db: Kysely<Schema>) {
  return { ...writes(db), ...reads(db) }
}

function writes(db: Kysely<Schema>) {
  return {
    add: async (record: NewRecallRecord, results: readonly NewRecallResult[]): Promise<void> => {
      await db.insertInto('recall_records').values(record).execute()
      if (results.length === 0) return
      await db
        .insertInto('recall_record_results')
        .values(results.map(result => ({ ...result, record_id: record.id })))
        .execute()
    },
    /** Returns the ids whose text may be recorded: existing memories and passages of sources. */
    keepable: async (
      ids: readonly string[],
      passages: readonly (readonly [artifactId: string, chunk: number])[],
    ): Promise<Set<string>> => {
      const memories = await db
        .selectFrom('memories')
        .select('id')
        .where(sql<boolean>`id IN ${listOf(ids)}`)
        .where('is_deleted', '=', 0)
        .where('visibility', '<>', 'archived')
        .execute()
      const chunks = await Promise.all(passages.map(place => hasPassage(db, place)))
      return new Set([...memories.map(({ id }) => id), ...chunks.flat()])
    },
    /**
     * Deletes records before the given time and the oldest above `maxRecords`, at most `limit` of each.
     * @returns the number deleted.
     */
    purge: async (before: string, maxRecords: number, limit: number): Promise<number> => {
      const aged = await deleteOlder(db, 'recall_records', before, limit)
      const many = await db
        .deleteFrom('recall_records')
        .where('id', 'in', eb =>
          eb
            .selectFrom('recall_records')
            .select('id')
            .orderBy('created_at', 'desc')
            .orderBy('id', 'desc')
            .limit(limit)
            .offset(maxRecords),
        )
        .executeTakeFirstOrThrow()
      return aged + Number(many.numDeletedRows)
    },
    /** Deletes up to `limit` matching records. @returns the number deleted. */
    drop: async (filter: RecallRecordFilter, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('recall_records')
        .where('id', 'in', selectRecords(db, filter).select('id').limit(limit))
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

async function hasPassage(
  db: Kysely<Schema>,
  [artifactId, chunk]: readonly [artifactId: string, chunk: number],
): Promise<string[]> {
  const row = await db
    .selectFrom('source_chunks')
    .select('chunk')
    .where('artifact_id', '=', artifactId)
    .where('chunk', '=', chunk)
    .where('removed', '=', 0)
    .executeTakeFirst()
  return row ? [`${artifactId}#${chunk}`] : []
}

function selectRecords(
  db: Kysely<Schema>,
  { agentId, sessionKey, route, since = '', until = '9', noHits, project, user, ids }: RecallRecordFilter,
) {
  return db
    .selectFrom('recall_records')
    .where('created_at', '>=', since)
    .where('created_at', '<=', until)
    .$if(agentId !== undefined, query => query.where('agent_id', '=', agentId as string))
    .$if(sessionKey !== undefined, query => query.where('session_key', '=', sessionKey as string))
    .$if(route !== undefined, query => query.where('route', '=', route as string))
    .$if(noHits !== undefined, query => query.where('result_count', noHits ? '=' : '>', 0))
    .$if(project !== undefined, query => query.where(sameProject('scope_project', project)))
    .$if(ids !== undefined, query => query.where(sql<boolean>`id IN ${listOf(ids ?? [])}`))
    .$if(user !== undefined, query => query.where('scope_user', '=', user as string))
}

function reads(db: Kysely<Schema>) {
  return {
    /** Returns matching records, newest first. @param after cursor to continue from. */
    list: (
      filter: RecallRecordFilter,
      {
        limit,
        offset = 0,
        after,
      }: { limit: number; offset?: number; after?: RecallRecordCursor | undefined },
    ): Promise<RecallRecordRow[]> =>
      selectRecords(db, filter)
        .selectAll()
        .$if(after !== undefined, query =>
          query.where(
            sql<boolean>`(created_at, id) < (${after?.created_at as string}, ${after?.id as string})`,
          ),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    /** Counts the matching records. */
    count: async (filter: RecallRecordFilter): Promise<number> => {
      const { count } = await selectRecords(db, filter)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns the results of recalls, by record and rank. */
    resultsOf: async (recordIds: readonly string[]): Promise<Map<string, RecallRecordResultRow[]>> => {
      const rows = await db
        .selectFrom('recall_record_results')
        .selectAll()
        .where(sql<boolean>`record_id IN ${listOf(recordIds)}`)
        .orderBy('record_id')
        .orderBy('rank')
        .execute()
      const byRecord = new Map<string, RecallRecordResultRow[]>(recordIds.map(id => [id, []]))
      for (const row of rows) byRecord.get(row.record_id)?.push(row)
      return byRecord
    },
  }
}
