import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

/** The number of rows removed from the ontology. */
export interface DroppedKnowledge {
  mentions: number
  entities: number
}

/** Removes permanently deleted memories from the ontology. */
export function knowledgeRetentionTable(db: Kysely<Schema>) {
  return {
    /**
     * Deletes mentions in memories and updates their counts. Entities without mentions are deleted unless
     * pinned or supported by another kind of source. Quotes are erased, but their spans stay. Call it before
     * deleting the memories.
     */
    drop: async (memoryIds: readonly string[]): Promise<DroppedKnowledge> => {
      const ids = listOf(memoryIds)
      const { rows } = await sql<{ id: string }>`SELECT DISTINCT entity_id AS id FROM entity_mentions
        WHERE memory_id IN ${ids}`.execute(db)
      await sql`UPDATE evidence_spans SET quote = '' WHERE source_kind = 'memory' AND source_id IN ${ids}`.execute(
        db,
      )
      if (rows.length === 0) return { mentions: 0, entities: 0 }
      const mentioned = rows.map(({ id }) => id)
      await sql`UPDATE entities SET mentions = mentions - (SELECT count(*) FROM entity_mentions m
          WHERE m.entity_id = entities.id AND m.memory_id IN ${ids})
        WHERE id IN ${listOf(mentioned)}`.execute(db)
      const { numAffectedRows = 0n } =
        await sql`DELETE FROM entity_mentions WHERE memory_id IN ${ids}`.execute(db)
      return { mentions: Number(numAffectedRows), entities: await dropUnsupported(db, mentioned) }
    },
  }
}

/** Deletes the given entities without a source, with their values, links and merged entities. */
async function dropUnsupported(db: Kysely<Schema>, entityIds: readonly string[]): Promise<number> {
  const otherSource = (subject: string) =>
    sql`EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = ${sql.ref(subject)}
      AND s.source_kind <> 'memory')`
  const { rows } = await sql<{ id: string }>`DELETE FROM entities WHERE id IN ${listOf(entityIds)}
    AND mentions = 0 AND pinned = 0 AND NOT ${otherSource('entities.id')}
    AND NOT EXISTS (SELECT 1 FROM claims c JOIN claim_versions v ON v.claim_id = c.id
      WHERE c.entity_id = entities.id AND ${otherSource('v.id')})
    AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.from_id = entities.id AND ${otherSource('l.id')})
    AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.to_id = entities.id AND ${otherSource('l.id')})
    RETURNING id`.execute(db)
  await sql`DELETE FROM entities WHERE merged_into IN ${listOf(rows.map(({ id }) => id))}`.execute(db)
  return rows.length
}
