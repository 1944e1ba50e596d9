import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { OntologyOperationsTable, OntologyProposalsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, thenJoin, unindexed } from '../../sql/dialect.js'

export type OperationRow = Selectable<OntologyOperationsTable>
export type ProposalRow = Selectable<OntologyProposalsTable>

/** An earlier operation on a source, what it led to, and a decision about it. */
export type AskedOperation = Pick<
  OperationRow,
  'operation' | 'payload' | 'mode' | 'status' | 'reason' | 'result_id'
> & {
  source_id: string
  quote: string
  /** Id of the thing that the source still supports. */
  subject_id: string | null
  proposal: string | null
  proposal_status: string | null
  decided_by: string | null
  /** The contested version that it stored. */
  contested: string | null
  /** Status of the version or link that the source supports. */
  held: string | null
}

export interface ProposalQuery {
  agentId: string
  statuses: readonly string[]
  /** Only proposals older than this one. */
  before: string | undefined
  limit: number
}

/** The audit log of ontology operations, and the proposals that wait for a decision. */
export function ontologyRecordsTable(db: Kysely<Schema>) {
  return {
    insertOperation: async (row: Insertable<OntologyOperationsTable>): Promise<void> => {
      await db.insertInto('ontology_operations').values(row).execute()
    },
    operations: async (ids: readonly string[]): Promise<OperationRow[]> => {
      const { rows } = await sql<OperationRow>`SELECT * FROM ontology_operations
        WHERE id IN ${listOf(ids)}`.execute(db)
      return rows
    },
    /** Returns operations based on sources that were not refused. */
    askedOf: async (
      agentId: string,
      { kind, ids }: { kind: string; ids: readonly string[] },
    ): Promise<AskedOperation[]> => {
      const { rows } = await sql<AskedOperation>`
        SELECT o.operation, o.payload, o.mode, o.status, o.reason, o.result_id, s.source_id, s.quote, s.subject_id,
          p.id AS proposal, p.status AS proposal_status, p.decided_by, p.version_id AS contested,
          coalesce(v.status, l.status) AS held
        FROM evidence_spans s ${thenJoin} ontology_operations o ON o.id = s.operation_id
        LEFT JOIN ontology_proposals p ON p.operation_id = o.id
        LEFT JOIN claim_versions v ON v.id = s.subject_id
        LEFT JOIN entity_links l ON l.id = s.subject_id
        WHERE s.source_kind = ${kind} AND s.source_id IN ${listOf(ids)} AND s.agent_id = ${agentId}
          AND o.status <> 'rejected'`.execute(db)
      return rows
    },
    /** Returns whether a merge of two entities was ever requested, whatever the decision. */
    askedToMerge: async (agentId: string, payload: string): Promise<boolean> => {
      const { rows } = await sql`SELECT 1 FROM ontology_operations
        WHERE operation = 'merge_entities' AND agent_id = ${agentId} AND payload = ${payload} LIMIT 1`.execute(
        db,
      )
      return rows.length > 0
    },
    insertProposal: async (row: Insertable<OntologyProposalsTable>): Promise<void> => {
      await db.insertInto('ontology_proposals').values(row).execute()
    },
    proposal: (agentId: string, id: string): Promise<ProposalRow | undefined> =>
      db
        .selectFrom('ontology_proposals')
        .selectAll()
        .where('id', '=', id)
        .where('agent_id', '=', agentId)
        .executeTakeFirst(),
    countProposals: async (agentId: string, status: string): Promise<number> => {
      const { count } = await db
        .selectFrom('ontology_proposals')
        .select(sql<number>`count(*)`.as('count'))
        .where('agent_id', '=', agentId)
        .where('status', '=', status)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns proposals, newest first. */
    proposals: async ({ agentId, statuses, before, limit }: ProposalQuery): Promise<ProposalRow[]> => {
      // One query per state, because a query for several would sort all rows.
      const pages = statuses.map(status =>
        db
          .selectFrom('ontology_proposals')
          .selectAll()
          .where('agent_id', '=', agentId)
          .where('status', '=', status)
          .$if(before !== undefined, query => query.where('id', '<', before as string))
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
      )
      const rows = (await Promise.all(pages)).flat()
      return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
    },
    /** Saves a decision on a proposal. @returns false when it is in none of the states `from` any more. */
    decideProposal: async (
      id: string,
      from: readonly string[],
      decision: Partial<Insertable<OntologyProposalsTable>>,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('ontology_proposals')
        .set(decision)
        .where('id', '=', id)
        .where(unindexed<string>('status'), 'in', [...from])
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
  }
}
