import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { OntologyOperationsTable, OntologyProposalsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

export type OperationRow = Selectable<OntologyOperationsTable>
export type ProposalRow = Selectable<OntologyProposalsTable>

export interface ProposalQuery {
  agentId: string
  statuses: readonly string[]
  limit: number
  offset: number
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
    proposals: ({ agentId, statuses, limit, offset }: ProposalQuery): Promise<ProposalRow[]> =>
      db
        .selectFrom('ontology_proposals')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('status', 'in', [...statuses])
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    decideProposal: async (
      id: string,
      decision: Partial<Insertable<OntologyProposalsTable>>,
    ): Promise<void> => {
      await db.updateTable('ontology_proposals').set(decision).where('id', '=', id).execute()
    },
  }
}
