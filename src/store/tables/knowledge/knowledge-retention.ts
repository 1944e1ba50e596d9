import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

/** What a sweep took out of the ontology. */
export interface DroppedKnowledge {
  mentions: number
  entities: number
}

/** What memories that are gone for good take with them out of the ontology. */
export function knowledgeRetentionTable(db: Kysely<Schema>) {
  return {
    /**
     * Takes out what memories mention, counts mentions down, and removes entities that nothing mentions any more,
     * unless they are pinned or another kind of source speaks of them. Quotes of the memories go; that there were some
     * stays. Call it before the memories are deleted.
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
      return { mentions: Number(numAffectedRows), entities: await dropUnspoken(db, mentioned) }
    },
  }
}

/** Of the given entities those that nothing speaks of go, with their values, links and the ids that led to them. */
async function dropUnspoken(db: Kysely<Schema>, entityIds: readonly string[]): Promise<number> {
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
