import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { OntologyOperationsTable, OntologyProposalsTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, unindexed } from '../../sql/dialect.js'

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
