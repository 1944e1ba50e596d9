import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { RecallRecordResultsTable, RecallRecordsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'
import { deleteOlder } from '../../sql/delete-older.js'
import { listOf } from '../../sql/dialect.js'

export type RecallRecordRow = Selectable<RecallRecordsTable>
export type RecallRecordResultRow = Selectable<RecallRecordResultsTable>
export type NewRecallRecord = Insertable<RecallRecordsTable>
export type NewRecallResult = Omit<Insertable<RecallRecordResultsTable>, 'record_id'>

export interface RecallRecordFilter {
  /** Undefined: of all agents. */
  agentId?: string | undefined
  sessionKey?: string | undefined
  route?: string | undefined
  /** ISO 8601, both inclusive. */
  since?: string | undefined
  until?: string | undefined
  noHits?: boolean | undefined
  /** What the reader's credential is confined to: only what was asked within the same. */
  project?: string | undefined
  user?: string | undefined
  /** These alone. */
  ids?: readonly string[] | undefined
}

/** A place in the list, which is the newest first. */
export interface RecallRecordPlace {
  created_at: string
  id: string
}

/** Recalls that were recorded, with what they gave (telemetry.md 5). */
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
    /** Of the ids the ones whose text may be kept: of memories that are there, and of passages of sources. */
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
    /** Deletes records from before the given time, and the oldest above `maxRecords`, at most `limit` of each. @returns how many went. */
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
    /** Deletes some of the records that fit. @returns how many went. */
    drop: async (filter: RecallRecordFilter, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('recall_records')
        .where('id', 'in', selected(db, filter).select('id').limit(limit))
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

function selected(
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
    .$if(project !== undefined, query => query.where('scope_project', '=', project as string))
    .$if(ids !== undefined, query => query.where(sql<boolean>`id IN ${listOf(ids ?? [])}`))
    .$if(user !== undefined, query => query.where('scope_user', '=', user as string))
}

function reads(db: Kysely<Schema>) {
  return {
    /** The newest first. @param after the place behind which to go on. */
    list: (
      filter: RecallRecordFilter,
      { limit, offset = 0, after }: { limit: number; offset?: number; after?: RecallRecordPlace | undefined },
    ): Promise<RecallRecordRow[]> =>
      selected(db, filter)
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
    /** How many fit. */
    count: async (filter: RecallRecordFilter): Promise<number> => {
      const { count } = await selected(db, filter)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    /** What recalls gave, by record and rank. */
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
