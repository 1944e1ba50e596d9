import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { thenJoin } from '../../sql/dialect.js'
import { isVisible } from '../knowledge/evidence-boundary.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import type { SessionName } from '../sessions/sessions.js'

export interface OperationMoment {
  id: string
  at: string
  operation: string
  status: string
  actor: string
}

/** The life of a fact or link: when it was recorded and when it expired. */
export interface KnowledgeMoment {
  id: string
  recorded_at: string
  expired_at: string | null
  status: string
}

export interface CaptureMoment {
  id: string
  at: string
  completed_at: string | null
  status: string
  source: string
}

/** Timeline entries of things without a log of their own, oldest first. */
export function timelinesTable(db: Kysely<Schema>) {
  return {
    /** Returns an agent's ontology operations based on a memory. */
    operationsOn: async (agentId: string, memoryId: string, limit: number): Promise<OperationMoment[]> => {
      const { rows } = await sql<OperationMoment>`
        SELECT DISTINCT o.id, o.created_at AS at, o.operation, o.status, o.changed_by AS actor
        FROM evidence_spans s ${thenJoin} ontology_operations o ON o.id = s.operation_id
        WHERE s.source_kind = 'memory' AND s.source_id = ${memoryId} AND s.agent_id = ${agentId}
        ORDER BY o.created_at, o.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns facts of an entity that the reader may see. */
    values: async (entityId: string, boundary: ReadBoundary, limit: number): Promise<KnowledgeMoment[]> => {
      const { rows } = await sql<KnowledgeMoment>`
        SELECT v.id, v.recorded_at, v.expired_at, v.status
        FROM claims c ${thenJoin} claim_versions v ON v.claim_id = c.id
        WHERE c.entity_id = ${entityId} AND ${isVisible('v.id', boundary)}
        ORDER BY v.recorded_at, v.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Returns links from and to an entity that the reader may see. */
    links: async (entityId: string, boundary: ReadBoundary, limit: number): Promise<KnowledgeMoment[]> => {
      const side = (column: string) => sql`SELECT l.id, l.recorded_at, l.expired_at, l.status
        FROM entity_links l WHERE ${sql.ref(column)} = ${entityId} AND ${isVisible('l.id', boundary)}`
      const { rows } = await sql<KnowledgeMoment>`SELECT * FROM (
        ${side('l.from_id')} UNION ${side('l.to_id')}) both_sides
        ORDER BY recorded_at, id LIMIT ${limit}`.execute(db)
      return rows
    },
    captures: ({ agentId, sessionKey }: SessionName, limit: number): Promise<CaptureMoment[]> =>
      db
        .selectFrom('transcript_captures')
        .select(['id', 'created_at as at', 'completed_at', 'status', 'source'])
        .where('agent_id', '=', agentId)
        .where('session_key', '=', sessionKey)
        .orderBy('created_at')
        .limit(limit)
        .execute(),
  }
}
