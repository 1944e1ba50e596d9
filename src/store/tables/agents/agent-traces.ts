import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, flag, thenJoin } from '../../sql/dialect.js'
import { unfinishedStatuses } from '../knowledge/documents.js'
import { byAgent, isOwnedBy } from './agents.js'

/** The number of an agent's rows, by kind. */
export interface AgentTraces {
  memories: number
  /** Memories of the agent that other agents have too. */
  shared: number
  /** Memories owned by other agents that this agent has too, at most 10,000. */
  held: number
  archived: number
  sessions: number
  transcripts: number
  summaries: number
  messages: number
  entities: number
  documents: number
  sources: number
}

/** A step of the removal; the steps run one after the other. */
export type TraceKind =
  | 'recalls'
  | 'recallRecords'
  | 'continuity'
  | 'work'
  | 'blackBoxes'
  | 'sessions'
  | 'summaries'
  | 'messages'
  | 'receipts'
  | 'ontologyRecords'
  | 'attentions'
  | 'entities'
  | 'chunks'
  | 'documents'
  | 'skillUses'

/** Counts and deletes an agent's rows other than memories and conversations; each kind has an index. */
export function agentTracesTable(db: Kysely<Schema>) {
  const steps = stepsOf()
  return {
    count: (agentId: string): Promise<AgentTraces> => countTraces(db, agentId),
    /** Returns whether rows of an agent remain that is no longer in the roster. */
    any: async (agentId: string): Promise<boolean> => {
      const has = (table: string, more = sql``) =>
        sql`EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE agent_id = ${agentId} ${more})`
      const all = [
        sql`EXISTS (SELECT 1 FROM ${byAgent} WHERE ${isOwnedBy(agentId)})`,
        has('memory_holders', sql`AND visibility <> 'archived'`),
        // Matches the condition of the index.
        has('documents', sql`AND agent_id <> ''`),
        ...['sessions', 'transcripts', 'temporal_nodes', 'cold_memories'].map(table => has(table)),
      ]
      const { rows } = await sql<{ any: 0 | 1 }>`SELECT ${flag(sql.join(all, sql` OR `))} AS "any"`.execute(
        db,
      )
      return rows[0]?.any === 1
    },
    /** Deletes some rows of one kind. @returns the number deleted; 0 once none is left. */
    drop: async (kind: TraceKind, agentId: string): Promise<number> => {
      let dropped = 0
      for (const statement of steps[kind](agentId)) {
        const { numAffectedRows = 0n } = await statement.execute(db)
        dropped += Number(numAffectedRows)
      }
      return dropped
    },
    /** Stops unfinished documents: their reader finds them deleted. */
    abandonDocuments: async (agentId: string, now: string): Promise<void> => {
      await db
        .updateTable('documents')
        .set({ status: 'deleted', updated_at: now })
        .where('agent_id', '=', agentId)
        .where('agent_id', '<>', '')
        .where('status', 'in', unfinishedStatuses)
        .execute()
    },
    /** Returns compactions of an agent: their nodes, and their files below the workspace. */
    compactions: (agentId: string, limit: number): Promise<{ node_id: string; path: string }[]> =>
      db
        .selectFrom('compactions')
        .select(['node_id', 'path'])
        .where('agent_id', '=', agentId)
        .limit(limit)
        .execute(),
    dropCompactions: async (nodeIds: readonly string[]): Promise<void> => {
      await db
        .deleteFrom('compactions')
        .where('node_id', 'in', [...nodeIds])
        .execute()
    },
  }
}

/** Rows deleted per statement; fewer where a row cascades to others. */
const rows = 200
const rowsWithOthers = 10

function stepsOf(): Record<TraceKind, (agentId: string) => RawBuilder<unknown>[]> {
  const ofSessions = (table: string, limit: number) => (agentId: string) => [
    sql`DELETE FROM ${sql.table(table)} WHERE agent_id = ${agentId} AND session_key IN (
      SELECT session_key FROM ${sql.table(table)} WHERE agent_id = ${agentId} LIMIT ${limit})`,
  ]
  const byId = (table: string, column: string, limit: number) => (agentId: string) =>
    sql`DELETE FROM
    ${sql.table(table)} WHERE id IN (SELECT id FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${agentId}
      LIMIT ${limit})`
  const sent = byId('agent_messages', 'from_agent_id', rows)
  const received = byId('agent_messages', 'to_agent_id', rows)
  const nodes = byId('temporal_nodes', 'agent_id', rowsWithOthers)
  const records = byId('ontology_operations', 'agent_id', rows)
  const changes = byId('ontology_changes', 'agent_id', rows)
  const attentions = byId('attentions', 'agent_id', rows)
  const entities = byId('entities', 'agent_id', rowsWithOthers)
  const documents = (agentId: string) =>
    sql`DELETE FROM documents WHERE id IN (SELECT id FROM documents WHERE agent_id = ${agentId} AND agent_id <> ''
      LIMIT ${rowsWithOthers})`
  const recorded = byId('recall_records', 'agent_id', rowsWithOthers)
  const scores = byId('continuity_scores', 'agent_id', rows)
  const uses = byId('skill_uses', 'agent_id', rows)
  return {
    recalls: ofSessions('recall_sessions', rowsWithOthers),
    recallRecords: agentId => [recorded(agentId)],
    continuity: agentId => [scores(agentId)],
    work: agentId =>
      ['session_files', 'session_turns'].flatMap(table => ofSessions(table, rowsWithOthers)(agentId)),
    blackBoxes: ofSessions('session_logs', rowsWithOthers),
    sessions: ofSessions('sessions', rows),
    summaries: agentId => [nodes(agentId)],
    messages: agentId => [sent(agentId), received(agentId)],
    receipts: agentId => [
      sql`DELETE FROM agent_message_acks WHERE agent_id = ${agentId} AND message_id IN (
        SELECT message_id FROM agent_message_acks WHERE agent_id = ${agentId} LIMIT ${rows})`,
    ],
    // Evidence and proposals are deleted with their operation.
    ontologyRecords: agentId => [records(agentId), changes(agentId)],
    attentions: agentId => [attentions(agentId)],
    entities: agentId => [entities(agentId)],
    // A long document has thousands of chunks, so they are deleted before it.
    chunks: agentId => [
      sql`DELETE FROM document_chunks WHERE (document_id, generation, chunk_index) IN (
        SELECT c.document_id, c.generation, c.chunk_index FROM documents d ${thenJoin} document_chunks c
        ON c.document_id = d.id WHERE d.agent_id = ${agentId} AND d.agent_id <> '' LIMIT ${rows})`,
    ],
    documents: agentId => [documents(agentId)],
    skillUses: agentId => [uses(agentId)],
  }
}

/** Limits this count, because each memory costs a look-up. */
const maxHeld = 10_000

/** Counts the memories an agent owns; `default` owns all that no other agent owns. */
function ownedMemories(agentId: string): RawBuilder<number> {
  return agentId === 'default'
    ? sql`((SELECT count(*) FROM memories) - (SELECT count(*) FROM ${byAgent} WHERE agent_id <> 'default'))`
    : sql`(SELECT count(*) FROM ${byAgent} WHERE ${isOwnedBy(agentId)})`
}

function archivedOf(agentId: string): RawBuilder<number> {
  return sql`(SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
    WHERE visibility = 'archived' AND is_deleted IN (0, 1) AND agent_id = ${agentId})`
}

/** Counts through indexes alone; only memories with several holders are read. */
async function countTraces(db: Kysely<Schema>, agentId: string): Promise<AgentTraces> {
  const { all, ...counts } = await db
    .selectNoFrom([
      ownedMemories(agentId).as('all'),
      archivedOf(agentId).as('archived'),
      countOf('sessions', agentId).as('sessions'),
      countOf('transcripts', agentId).as('transcripts'),
      countOf('temporal_nodes', agentId).as('summaries'),
      countOf('entities', agentId).as('entities'),
      sql<number>`(SELECT count(*) FROM documents WHERE agent_id = ${agentId} AND agent_id <> '' AND status <> 'deleted')`.as(
        'documents',
      ),
      sql<number>`(SELECT count(*) FROM sources WHERE agent_id = ${agentId} AND removed_at IS NULL)`.as(
        'sources',
      ),
      sql<number>`((SELECT count(*) FROM agent_messages WHERE from_agent_id = ${agentId})
        + (SELECT count(*) FROM agent_messages WHERE to_agent_id = ${agentId}))`.as('messages'),
    ])
    .executeTakeFirstOrThrow()
  const { rows: shared } = await sql<{ count: number }>`SELECT count(*) AS count
    FROM ${byIndex('memories', 'memories_shared')}
    WHERE further_holders > 0 AND agent_id = ${agentId} AND visibility <> 'archived' AND EXISTS (
      SELECT 1 FROM memory_holders h WHERE h.memory_id = memories.id AND h.agent_id <> ${agentId})`.execute(
    db,
  )
  const { rows: held } = await sql<{ count: number }>`SELECT count(*) AS count FROM (
    SELECT DISTINCT h.memory_id FROM memory_holders h ${thenJoin} memories m ON m.id = h.memory_id
    WHERE h.agent_id = ${agentId} AND h.visibility <> 'archived' AND m.agent_id <> ${agentId} LIMIT ${maxHeld}) listed`.execute(
    db,
  )
  return {
    ...counts,
    memories: all - counts.archived,
    held: held[0]?.count ?? 0,
    shared: shared[0]?.count ?? 0,
  }
}

function countOf(table: string, agentId: string): RawBuilder<number> {
  return sql<number>`(SELECT count(*) FROM ${sql.table(table)} WHERE agent_id = ${agentId})`
}
