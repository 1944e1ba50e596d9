import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { OntologyOperationsTable, OntologyProposalsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, thenJoin, unindexed } from '../../sql/dialect.js'

export type OperationRow = Selectable<OntologyOperationsTable>
export type ProposalRow = Selectable<OntologyProposalsTable>

export interface ProposalQuery {
  agentId: string
  statuses: readonly string[]
  /** Those that came before this one. */
  before: string | undefined
  limit: number
}

/** The audit of operations on the ontology, and those of them that wait for a decision. */
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
    /** What was asked for on the evidence of a source, and not rejected: each operation with its payload. */
    askedOf: async (
      agentId: string,
      { kind, id }: { kind: string; id: string },
    ): Promise<Pick<OperationRow, 'operation' | 'payload' | 'mode'>[]> => {
      const { rows } = await sql<Pick<OperationRow, 'operation' | 'payload' | 'mode'>>`
        SELECT o.operation, o.payload, o.mode FROM evidence_spans s
        ${thenJoin} ontology_operations o ON o.id = s.operation_id
        WHERE s.source_kind = ${kind} AND s.source_id = ${id} AND s.agent_id = ${agentId}
          AND o.status <> 'rejected'`.execute(db)
      return rows
    },
    /** Whether somebody asked to merge two entities before, whatever became of it. */
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
    /** Newest first. */
    proposals: async ({ agentId, statuses, before, limit }: ProposalQuery): Promise<ProposalRow[]> => {
      // Each state by its index: of several at once all would be sorted.
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
    /** Writes a decision on a proposal. @returns false when it stands in none of the given states any more. */
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
