import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { EvidenceSpansTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, thenJoin } from '../../sql/dialect.js'

export type EvidenceSpanRow = Selectable<EvidenceSpansTable>

/** Number of current things based on the artifacts of a source. */
export interface SupportedCounts {
  entities: number
  /** Pairs of an entity and an aspect. */
  aspects: number
  /** Claims with a value that is current or contested. */
  attributes: number
  /** Links between entities. */
  dependencies: number
}

/** Limits the count for one source, because a higher one would exceed a request's time. */
const mostCounted = 10_000

/** Something that a rule drew from a source. */
export interface DrawnFact {
  /** Id of a version or a link. */
  fact: string
  source: string
  quote: string
}

/** Spans of sources that support knowledge, stored once per thing they support. */
export function evidenceSpansTable(db: Kysely<Schema>) {
  return {
    /** Saves a span. If its subject already has the same span, the new one is for the audit only. */
    insert: async ({ subject_id, ...span }: Insertable<EvidenceSpansTable>): Promise<void> => {
      const known = subject_id == null ? undefined : await hasSpan(db, { ...span, subject_id })
      await db
        .insertInto('evidence_spans')
        .values({
          ...span,
          subject_id: known ? null : (subject_id ?? null),
          artifact_source: span.source_kind === 'artifact' ? sourceOf(span.source_id) : null,
        })
        .execute()
    },
    /** Returns up to `limit` spans of the subjects, oldest first. */
    ofSubjects: async (subjectIds: readonly string[], limit: number): Promise<EvidenceSpanRow[]> => {
      const { rows } = await sql<EvidenceSpanRow>`SELECT * FROM evidence_spans
        WHERE subject_id IN ${listOf(subjectIds)} ORDER BY id LIMIT ${limit}`.execute(db)
      return rows
    },
    ofOperations: async (operationIds: readonly string[]): Promise<EvidenceSpanRow[]> => {
      const { rows } = await sql<EvidenceSpanRow>`SELECT * FROM evidence_spans
        WHERE operation_id IN ${listOf(operationIds)} ORDER BY operation_id, id`.execute(db)
      return rows
    },
    /** Returns the agents whose ontology is based on one of the sources, each with that source. */
    agentsRestingOn: async (
      sourceKind: string,
      sourceIds: readonly string[],
    ): Promise<Pick<EvidenceSpanRow, 'agent_id' | 'source_id'>[]> => {
      const { rows } = await sql<Pick<EvidenceSpanRow, 'agent_id' | 'source_id'>>`
        SELECT DISTINCT agent_id, source_id FROM evidence_spans
        WHERE source_kind = ${sourceKind} AND source_id IN ${listOf(sourceIds)}
        AND subject_id IS NOT NULL`.execute(db)
      return rows
    },
    /** Returns up to `limit` things in an agent's ontology that are based on a source. */
    subjectsOf: async (
      agentId: string,
      { kind, id }: { kind: string; id: string },
      limit: number,
    ): Promise<string[]> => {
      const { rows } = await sql<{ subject_id: string }>`SELECT DISTINCT subject_id FROM evidence_spans
        WHERE source_kind = ${kind} AND source_id = ${id} AND agent_id = ${agentId}
          AND subject_id IS NOT NULL LIMIT ${limit}`.execute(db)
      return rows.map(({ subject_id }) => subject_id)
    },
    /**
     * Returns current facts that operations with one of the reasons drew from sources, with their quotes. No
     * person confirmed any of them.
     */
    drawnFrom: async (
      agentId: string,
      {
        kind,
        ids,
        reasons,
        kept,
      }: { kind: string; ids: readonly string[]; reasons: readonly string[]; kept: string },
    ): Promise<DrawnFact[]> => {
      const { rows } = await sql<DrawnFact>`SELECT s.subject_id AS fact, s.source_id AS source, s.quote
        FROM evidence_spans s ${thenJoin} ontology_operations o ON o.id = s.operation_id
        LEFT JOIN claim_versions v ON v.id = s.subject_id
        LEFT JOIN entity_links l ON l.id = s.subject_id
        WHERE s.source_kind = ${kind} AND s.source_id IN ${listOf(ids)} AND s.agent_id = ${agentId}
          AND s.subject_id IS NOT NULL AND coalesce(v.status, l.status) = 'current'
          AND o.reason IN ${listOf(reasons)} AND o.operation IN ('assert_claim', 'supersede_claim', 'link')`.execute(
        db,
      )
      const confirmed = await confirmedOf(db, [...new Set(rows.map(({ fact }) => fact))], kept)
      return rows.filter(({ fact }) => !confirmed.has(fact))
    },
    /**
     * Returns those of some things that a person confirmed.
     * @param kept reason of decisions for the current value
     */
    confirmed: (ids: readonly string[], kept: string): Promise<Set<string>> => confirmedOf(db, ids, kept),
    /** Returns the artifacts of a source, gone ones included, that support anything. */
    artifactsOf: async (source: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT DISTINCT source_id AS id FROM evidence_spans
        WHERE artifact_source = ${source} AND subject_id IS NOT NULL LIMIT ${limit}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /** Returns when the newest memory that supports a thing was said, if a memory supports it. */
    lastSaid: async (subjectId: string): Promise<string | undefined> => {
      const { rows } = await sql<{ at: string | null }>`
        SELECT max(coalesce(m.occurred_at, m.created_at)) AS at FROM evidence_spans s
        ${thenJoin} memories m ON m.id = s.source_id
        WHERE s.subject_id = ${subjectId} AND s.source_kind = 'memory'`.execute(db)
      return rows[0]?.at ?? undefined
    },
    /** Counts current things based on a source. */
    countRestingOn: async (source: string): Promise<SupportedCounts> => {
      const { rows } = await sql<SupportedCounts>`
        WITH resting AS (SELECT DISTINCT subject_id AS id FROM evidence_spans
            WHERE artifact_source = ${source} AND subject_id IS NOT NULL LIMIT ${mostCounted}),
          held AS (SELECT DISTINCT c.id, c.entity_id, c.aspect_key FROM resting r
            ${thenJoin} claim_versions v ON v.id = r.id AND v.status IN ('current', 'contested')
            JOIN claims c ON c.id = v.claim_id)
        SELECT (SELECT count(*) FROM (SELECT e.id FROM resting r ${thenJoin} entities e ON e.id = r.id
              AND e.merged_into IS NULL UNION SELECT entity_id FROM held) named) AS entities,
          (SELECT count(*) FROM (SELECT DISTINCT entity_id, aspect_key FROM held) aspects) AS aspects,
          (SELECT count(*) FROM held) AS attributes,
          (SELECT count(*) FROM resting r ${thenJoin} entity_links l ON l.id = r.id
            AND l.status = 'current') AS dependencies`.execute(db)
      return rows[0] ?? { entities: 0, aspects: 0, attributes: 0, dependencies: 0 }
    },
    /** Detaches spans from their subject; the audit keeps them. */
    release: async (subjectId: string): Promise<void> => {
      await db
        .updateTable('evidence_spans')
        .set({ subject_id: null })
        .where('subject_id', '=', subjectId)
        .execute()
    },
    /** Returns whether another source supports a thing. */
    hasOthers: async (subjectId: string, { kind, id }: { kind: string; id: string }): Promise<boolean> => {
      const { rows } = await sql`SELECT 1 FROM evidence_spans WHERE subject_id = ${subjectId}
        AND (source_kind <> ${kind} OR source_id <> ${id}) LIMIT 1`.execute(db)
      return rows.length > 0
    },
    /** Detaches the spans of one source from a thing; the audit keeps them. */
    detach: async (subjectId: string, { kind, id }: { kind: string; id: string }): Promise<void> => {
      await db
        .updateTable('evidence_spans')
        .set({ subject_id: null })
        .where('subject_id', '=', subjectId)
        .where('source_kind', '=', kind)
        .where('source_id', '=', id)
        .execute()
    },
    /** Moves spans from one source to another with the same text. */
    moveSource: async (sourceKind: string, from: string, to: string): Promise<void> => {
      await db
        .updateTable('evidence_spans')
        .set({ source_id: to })
        .where('source_kind', '=', sourceKind)
        .where('source_id', '=', from)
        .execute()
    },
    /** Moves spans from one subject to another. */
    moveSubject: async (from: string, to: string): Promise<void> => {
      await db.updateTable('evidence_spans').set({ subject_id: to }).where('subject_id', '=', from).execute()
    },
  }
}

const sourceOf = (artifactId: string) =>
  sql<string | null>`(SELECT a.source_id FROM source_artifacts a WHERE a.id = ${artifactId})`

async function hasSpan(
  db: Kysely<Schema>,
  { subject_id, source_kind, source_id, span_start, span_end }: Omit<Insertable<EvidenceSpansTable>, 'id'>,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM evidence_spans WHERE subject_id = ${subject_id}
    AND source_kind = ${source_kind} AND source_id = ${source_id} AND span_start = ${span_start}
    AND span_end = ${span_end} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** A suggestion that a person rejected beside a value confirms that value. */
async function confirmedOf(db: Kysely<Schema>, ids: readonly string[], kept: string): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`SELECT s.subject_id AS id FROM evidence_spans s
      ${thenJoin} ontology_operations o ON o.id = s.operation_id
      LEFT JOIN ontology_proposals p ON p.operation_id = o.id
      WHERE s.subject_id IN ${listOf(ids)}
        AND (o.mode = 'decide' OR o.actor_type <> 'pipeline' OR p.status = 'applied')
    UNION SELECT v.id FROM claim_versions v
      ${thenJoin} claim_versions other ON other.claim_id = v.claim_id AND other.id <> v.id
      ${thenJoin} evidence_spans s ON s.subject_id = other.id
      ${thenJoin} ontology_proposals p ON p.operation_id = s.operation_id
      WHERE v.id IN ${listOf(ids)} AND p.status = 'rejected' AND p.decided_reason = ${kept}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
