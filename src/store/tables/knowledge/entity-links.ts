import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { EntityLinksTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isTold } from './evidence-boundary.js'

export type EntityLinkRow = Selectable<EntityLinksTable>

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
