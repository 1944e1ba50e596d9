import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { EntityLinksTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isTold } from './evidence-boundary.js'

export type EntityLinkRow = Selectable<EntityLinksTable>

/** A link as one of its ends sees it. */
export type LinkedRow = EntityLinkRow & {
  direction: 'to' | 'from'
  other_id: string
  other_name: string
  other_type: string
}

/** What makes a link the same link. */
export type Triple = Pick<EntityLinkRow, 'from_id' | 'relation_key' | 'to_id'>

/** How entities are related to each other. */
export function entityLinksTable(db: Kysely<Schema>) {
  const links = () => db.selectFrom('entity_links').selectAll()
  const current = ({ from_id, relation_key, to_id }: Triple): Promise<EntityLinkRow | undefined> =>
    links()
      .where('from_id', '=', from_id)
      .where('relation_key', '=', relation_key)
      .where('to_id', '=', to_id)
      .where('status', '=', 'current')
      .executeTakeFirst()
  const update = async (id: string, change: Partial<Insertable<EntityLinksTable>>): Promise<void> => {
    await db.updateTable('entity_links').set(change).where('id', '=', id).execute()
  }
  return {
    insert: async (row: Insertable<EntityLinksTable>): Promise<void> => {
      await db.insertInto('entity_links').values(row).execute()
    },
    /** A link of an agent that the reader may be told; undefined when there is none. */
    told: (agentId: string, id: string, boundary: ReadBoundary): Promise<EntityLinkRow | undefined> =>
      links()
        .where('id', '=', id)
        .where('agent_id', '=', agentId)
        .where(isTold('entity_links.id', boundary))
        .executeTakeFirst(),
    /** Current links of an entity that the reader may be told, with the entities at their other ends. */
    toldOf: async (entityId: string, boundary: ReadBoundary, limit: number): Promise<LinkedRow[]> => {
      const { rows } = await sql<LinkedRow>`
        SELECT l.*, e.id AS other_id, e.name AS other_name, e.entity_type AS other_type FROM (
          SELECT links.*, 'to' AS direction, to_id AS other FROM entity_links links
          WHERE from_id = ${entityId} AND status = 'current'
          UNION ALL
          SELECT links.*, 'from' AS direction, from_id AS other FROM entity_links links
          WHERE to_id = ${entityId} AND status = 'current') l
        JOIN entities e ON e.id = l.other
        WHERE ${isTold('l.id', boundary)} ORDER BY l.confidence DESC, l.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Links of one entity become another's; what would be there twice, or lead to itself, ends. */
    move: async (from: string, into: string, now: string): Promise<void> => {
      const rows = await db
        .selectFrom('entity_links')
        .selectAll()
        .where(sql<boolean>`id IN (SELECT id FROM entity_links WHERE from_id = ${from}
          UNION SELECT id FROM entity_links WHERE to_id = ${from})`)
        .execute()
      for (const row of rows) {
        const triple = {
          from_id: row.from_id === from ? into : row.from_id,
          relation_key: row.relation_key,
          to_id: row.to_id === from ? into : row.to_id,
        }
        const known = row.status === 'current' ? await current(triple) : undefined
        const ends = row.status === 'current' && (known !== undefined || triple.from_id === triple.to_id)
        await update(row.id, { ...triple, ...(ends && { status: 'unlinked', expired_at: now }) })
        if (known)
          await db
            .updateTable('evidence_spans')
            .set({ subject_id: known.id })
            .where('subject_id', '=', row.id)
            .execute()
      }
    },
    update,
    current,
  }
}
