import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import {
  type CatalogueColumn,
  type CatalogueTable,
  columnsOf,
  countRows,
  indexesOf,
  isIndex,
  pagesOf,
  referencesOf,
  sampleOf,
  tablesIn,
} from '../../sql/catalogue.js'
import { byIndex } from '../../sql/dialect.js'
import { aliveCount } from '../memory/memory-lists.js'
import { hasOutdatedVerdict } from '../memory/safety.js'

export interface JobStatusCount {
  kind: string
  status: string
  count: number
  /** When the oldest was queued. */
  oldest: string
}

/** Number of an agent's rows, with the times of the first and last. */
export interface AgentAges {
  agent_id: string
  count: number
  oldest: string
  newest: string
}

export interface HarnessSessions {
  harness: string
  sessions: number
  open: number
  seen: string
}

/** Counts for diagnostics. Queries scan whole tables: run them in a thread of their own. */
export function surveyCountsTable(db: Kysely<Schema>) {
  return { ...ofWork(db), ...ofMemories(db), ...ofConversations(db), ...ofKnowledge(db) }
}

function ofWork(db: Kysely<Schema>) {
  return {
    jobs: async (): Promise<JobStatusCount[]> => {
      const { rows } =
        await sql<JobStatusCount>`SELECT kind, status, count(*) AS count, min(created_at) AS oldest
        FROM jobs GROUP BY kind, status`.execute(db)
      return rows
    },
    /** Counts live memories with a dead job of a kind. */
    givenUp: async (kind: string): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(DISTINCT jobs.subject) AS count FROM jobs
        JOIN memories ON memories.id = jobs.subject AND memories.is_deleted = 0 AND memories.visibility <> 'archived'
        WHERE jobs.kind = ${kind} AND jobs.status = 'dead'`.execute(db)
      return rows[0]?.count ?? 0
    },
    /** Counts leases taken before a time. */
    staleLeases: async (before: string): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM jobs
        WHERE status = 'leased' AND leased_at <= ${before}`.execute(db)
      return rows[0]?.count ?? 0
    },
    sessions: async (): Promise<HarnessSessions[]> => {
      const { rows } = await sql<HarnessSessions>`SELECT harness, count(*) AS sessions,
          count(CASE WHEN ended_at IS NULL THEN 1 END) AS open, max(seen_at) AS seen
        FROM sessions GROUP BY harness ORDER BY harness`.execute(db)
      return rows
    },
  }
}

export interface MemoryStateCounts {
  alive: number
  deleted: number
  archived: number
  /** Deleted so long ago that the sweep should have removed them. */
  overdue: number
  /** Live rows with the same content as another, whoever may see them. */
  repeated: number
}

function ofMemories(db: Kysely<Schema>) {
  return {
    memories: async (overdueBefore: string): Promise<MemoryStateCounts> => {
      const { rows } = await sql<MemoryStateCounts>`SELECT ${aliveCount} AS alive,
          (SELECT count(*) FROM memories WHERE is_deleted = 1) AS deleted,
          (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
            WHERE is_deleted = 0 AND visibility = 'archived') AS archived,
          (SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL AND deleted_at < ${overdueBefore}) AS overdue,
          (SELECT count(*) - count(DISTINCT content_hash) FROM memories WHERE is_deleted = 0) AS repeated`.execute(
        db,
      )
      return rows[0] as MemoryStateCounts
    },
    /** Counts changes since a time, by kind. */
    events: async (since: string): Promise<{ event: string; count: number }[]> => {
      const { rows } = await sql<{ event: string; count: number }>`SELECT event, count(*) AS count
        FROM memory_history WHERE created_at >= ${since} GROUP BY event`.execute(db)
      return rows
    },
    /** Counts rows judged with another version of the content safety policy. */
    judgedOtherwise: async (policy: string): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT
        (SELECT count(*) FROM memories WHERE ${hasOutdatedVerdict(policy)})
        + (SELECT count(*) FROM transcripts WHERE safety_policy <> ${policy})
        + (SELECT count(*) FROM temporal_nodes WHERE safety_policy <> ${policy})
        + (SELECT count(*) FROM source_artifacts WHERE removed = 0 AND safety_policy <> ${policy}) AS count`.execute(
        db,
      )
      return rows[0]?.count ?? 0
    },
  }
}

function ofConversations(db: Kysely<Schema>) {
  return {
    captures: async (): Promise<(AgentAges & { status: string })[]> => {
      const { rows } = await sql<AgentAges & { status: string }>`SELECT agent_id, status, count(*) AS count,
          min(created_at) AS oldest, max(created_at) AS newest
        FROM transcript_captures GROUP BY agent_id, status`.execute(db)
      return rows
    },
    transcripts: async (): Promise<(AgentAges & { harness: string })[]> => {
      const { rows } = await sql<AgentAges & { harness: string }>`SELECT agent_id, harness, count(*) AS count,
          min(captured_at) AS oldest, max(captured_at) AS newest
        FROM transcripts GROUP BY agent_id, harness`.execute(db)
      return rows
    },
    compactions: async (): Promise<{ agent_id: string; count: number; open: number }[]> => {
      const { rows } = await sql<{ agent_id: string; count: number; open: number }>`SELECT agent_id,
          count(*) AS count, count(CASE WHEN document IS NOT NULL THEN 1 END) AS open
        FROM compactions GROUP BY agent_id`.execute(db)
      return rows
    },
    /** Returns files of the newest finished compactions, below the workspace. */
    compactionFiles: async (limit: number): Promise<{ agent_id: string; path: string }[]> => {
      const { rows } = await sql<{ agent_id: string; path: string }>`SELECT agent_id, path FROM compactions
        WHERE document IS NULL ORDER BY captured_at DESC LIMIT ${limit}`.execute(db)
      return rows
    },
    nodes: async (): Promise<{ agent_id: string; count: number }[]> => {
      const { rows } = await sql<{ agent_id: string; count: number }>`SELECT agent_id, count(*) AS count
        FROM temporal_nodes GROUP BY agent_id`.execute(db)
      return rows
    },
  }
}

function ofKnowledge(db: Kysely<Schema>) {
  return {
    graph: async (): Promise<{
      currentVersions: number
      pendingProposals: number
      waitingAttentions: number
    }> => {
      const { rows } = await sql<{
        currentVersions: number
        pendingProposals: number
        waitingAttentions: number
      }>`SELECT
        (SELECT count(*) FROM claim_versions WHERE status = 'current') AS "currentVersions",
        (SELECT count(*) FROM ontology_proposals WHERE status = 'pending') AS "pendingProposals",
        (SELECT count(*) FROM attentions WHERE state = 'waiting') AS "waitingAttentions"`.execute(db)
      return rows[0] as { currentVersions: number; pendingProposals: number; waitingAttentions: number }
    },
    documents: async (): Promise<{ status: string; count: number }[]> => {
      const { rows } = await sql<{ status: string; count: number }>`SELECT status, count(*) AS count
        FROM documents GROUP BY status`.execute(db)
      return rows
    },
    /** Returns imports that failed, were interrupted, or have waited for files since before a time. */
    troubledImports: async (
      before: string,
      limit: number,
    ): Promise<{ id: string; state: string; error: string | null; updated_at: string }[]> => {
      const { rows } = await sql<{ id: string; state: string; error: string | null; updated_at: string }>`
        SELECT id, state, error, updated_at FROM transcript_imports
        WHERE removed_at IS NULL AND (state IN ('failed', 'interrupted') OR (state = 'staging' AND updated_at < ${before}))
        ORDER BY created_at DESC LIMIT ${limit}`.execute(db)
      return rows
    },
  }
}

/** The database's own catalogue: tables, columns, indexes and sample rows. */
export function catalogueTable(db: Kysely<Schema>) {
  return {
    tables: () => tablesIn(db),
    isIndex: (name: string) => isIndex(db, name),
    columns: (table: string) => columnsOf(db, table),
    indexes: (table: string) => indexesOf(db, table),
    references: (table: string) => referencesOf(db, table),
    pages: () => pagesOf(db),
    /** Counts rows with a full scan, page by page. */
    count: (table: string) => countRows(db, table),
    /** Reads sample rows; `table` and `columns` must come from the catalogue, as names are not escaped. */
    sample: (
      table: Pick<CatalogueTable, 'name' | 'numbered'>,
      columns: readonly CatalogueColumn[],
      page: { limit: number; offset: number; maxLength: number },
    ) => sampleOf(db, table, columns, page),
  }
}
