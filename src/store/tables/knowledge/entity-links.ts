import { type Insertable, type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { EntityLinksTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { flag, joinChosen, listOf, rowNumber, rowsOf, thenJoin, unindexed } from '../../sql/dialect.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isReadable, isVisible, type SourceFilter } from './evidence-boundary.js'

export type EntityLinkRow = Selectable<EntityLinksTable>

/** A link as seen from one of its ends. */
export type EntityLinkView = EntityLinkRow & {
  direction: 'to' | 'from'
  other_id: string
  other_name: string
  other_type: string
}

/** A link between two entities. */
export type LinkRow = Pick<EntityLinkRow, 'id' | 'from_id' | 'to_id' | 'relation' | 'confidence'>

/** A link found while exploring from an entity, with the entity at its far end. */
export interface NeighborLink extends LinkRow {
  far: string
  name: string
  entity_type: string
}

/** The key of a link. */
export type LinkKey = Pick<EntityLinkRow, 'from_id' | 'relation_key' | 'to_id'>

/** Restricts links to those that hold at a time, or from then on too. */
export interface LinkTime {
  /** ISO time. */
  at: string
  /** Also links that begin later. */
  orLater?: true
}

/** Links read per link returned, because the reader may not read the sources of some. */
const perLimit = 5

/** A memory in a walk, and whether it waits to be linked. */
export interface LinkingState {
  id: string
  isUnlinked: boolean
}

/** Relations between entities. */
export function entityLinksTable(db: Kysely<Schema>) {
  const links = () => db.selectFrom('entity_links').selectAll()
  const current = ({ from_id, relation_key, to_id }: LinkKey): Promise<EntityLinkRow | undefined> =>
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
    /** Returns a link of an agent that the reader may see; undefined when there is none. */
    told: (agentId: string, id: string, boundary: ReadBoundary): Promise<EntityLinkRow | undefined> =>
      links()
        .where('id', '=', id)
        .where('agent_id', '=', agentId)
        .where(isVisible('entity_links.id', boundary))
        .executeTakeFirst(),
    /** Ends a current link of an agent. */
    endCurrent: async (agentId: string, id: string, now: string): Promise<void> => {
      await db
        .updateTable('entity_links')
        .set({ status: 'unlinked', expired_at: now })
        .where('id', '=', id)
        .where(unindexed<string>('agent_id'), '=', agentId)
        .where('status', '=', 'current')
        .execute()
    },
    /**
     * Returns current links of an entity that hold and the reader may see, with the entities at their other
     * ends, most confident first. If there are very many, only the newest `perLimit * limit` in each
     * direction are read.
     */
    toldOf: async (
      entityId: string,
      { boundary, limit, ...time }: { boundary: ReadBoundary; limit: number } & LinkTime,
    ): Promise<EntityLinkView[]> => {
      const one = (near: 'from_id' | 'to_id', far: 'from_id' | 'to_id', direction: 'to' | 'from') => sql`
        SELECT links.*, ${sql.lit(direction)} AS direction, links.${sql.ref(far)} AS other
        FROM ${rowsOf([entityId], 'e')}
        ${joinChosen('entity_links', 'links', currentOf(near, perLimit * limit), 'id')}`
      const { rows } = await sql<EntityLinkView>`
        SELECT l.*, o.id AS other_id, o.name AS other_name, o.entity_type AS other_type
        FROM (${one('from_id', 'to_id', 'to')} UNION ALL ${one('to_id', 'from_id', 'from')}) l
        JOIN entities o ON o.id = l.other
        WHERE ${holds(boundary, {}, time)} ORDER BY l.confidence DESC, l.id LIMIT ${limit}`.execute(db)
      return rows
    },
    /**
     * Returns current links of entities that hold and the reader may see, in both directions. Reads the
     * newest `most` of each entity and direction.
     */
    around: async (
      entities: readonly string[],
      {
        boundary,
        most,
        at,
        orLater,
        ...sources
      }: { boundary: ReadBoundary; most: number } & LinkTime & SourceFilter,
    ): Promise<NeighborLink[]> => {
      const held = holds(boundary, sources, { at, ...(orLater && { orLater }) })
      const one = (near: 'from_id' | 'to_id', far: 'from_id' | 'to_id') => sql`
        SELECT ${rowNumber('l')} AS number, l.id, l.from_id, l.to_id, l.relation, l.confidence, o.id AS far, o.name,
          o.entity_type
        FROM ${rowsOf(entities, 'e')} ${joinChosen('entity_links', 'l', currentOf(near, most), 'id')}
        ${thenJoin} entities o ON o.id = l.${sql.ref(far)}
        WHERE ${held}`
      const { rows } = await sql<NeighborLink>`${one('from_id', 'to_id')}
        UNION ALL ${one('to_id', 'from_id')} ORDER BY number DESC`.execute(db)
      return rows
    },
    /**
     * Returns current links from entities to those in `within` that hold and the reader may see. Reads the
     * newest `most` of each entity.
     */
    between: async (
      entities: readonly string[],
      {
        boundary,
        most,
        within,
        at,
        orLater,
        ...sources
      }: { boundary: ReadBoundary; most: number; within: readonly string[] } & LinkTime & SourceFilter,
    ): Promise<LinkRow[]> => {
      const { rows } = await sql<LinkRow>`
        SELECT l.id, l.from_id, l.to_id, l.relation, l.confidence
        FROM ${rowsOf(entities, 'e')} ${joinChosen('entity_links', 'l', currentOf('from_id', most), 'id')}
        WHERE ${unindexed('l.to_id')} IN ${listOf(within)}
          AND ${holds(boundary, sources, { at, ...(orLater && { orLater }) })}`.execute(db)
      return rows
    },
    /** Returns whether one of the entities has more than `most` current links in one direction. */
    haveMoreThan: async (entities: readonly string[], most: number): Promise<boolean> => {
      const more = (near: 'from_id' | 'to_id') => sql`EXISTS (${currentOf(near, 1, most)})`
      const { rows } = await sql`SELECT 1 FROM ${rowsOf(entities, 'e')}
        WHERE ${more('from_id')} OR ${more('to_id')} LIMIT 1`.execute(db)
      return rows.length > 0
    },
    /** Moves the links of one entity to another; duplicates and links to itself end. */
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
    /** Moves one end of a link from an entity to another; a duplicate or a link to itself ends. */
    moveEnd: async (id: string, from: string, into: string): Promise<void> => {
      const row = await links().where('id', '=', id).executeTakeFirst()
      if (!row) return
      const [from_id, to_id] = [row.from_id, row.to_id].map(end => (end === from ? into : end)) as [
        string,
        string,
      ]
      const known = await current({ from_id, to_id, relation_key: row.relation_key })
      await update(id, { from_id, to_id, ...((known || from_id === to_id) && { status: 'unlinked' }) })
    },
    update,
    current,
  }
}

/** Selects current links of the entity `e`, newest first, from the index alone. */
function currentOf(near: 'from_id' | 'to_id', limit: number, offset = 0): RawBuilder<unknown> {
  return sql`SELECT m.id FROM entity_links m WHERE m.${sql.ref(near)} = e.value AND m.status = 'current'
    ORDER BY ${rowNumber('m')} DESC LIMIT ${limit} OFFSET ${offset}`
}

/**
 * Matches links `l` at their time with a quote that the reader may read now. A quote counts only as long as
 * the value that it gave holds: an owner who was replaced owns nothing (knowledge.md#contradictions).
 */
function holds(boundary: ReadBoundary, filter: SourceFilter, time: LinkTime): RawBuilder<SqlBool> {
  return sql<SqlBool>`${isAt('l', time)} AND EXISTS (SELECT 1 FROM evidence_spans s
    WHERE s.subject_id = l.id AND ${isReadable(boundary, filter)} AND COALESCE((
      SELECT max(CASE WHEN v.status = 'current' AND ${isAt('v', time)} THEN 1 ELSE 0 END)
      FROM evidence_spans b JOIN claim_versions v ON v.id = b.subject_id
      WHERE b.source_kind = s.source_kind AND b.source_id = s.source_id AND b.quote = s.quote
        AND v.entity_id IN (l.from_id, l.to_id) AND EXISTS (SELECT 1 FROM entity_names n
          WHERE n.entity_id = CASE WHEN v.entity_id = l.from_id THEN l.to_id ELSE l.from_id END
            AND lower(n.name) = lower(v.value))), 1) = 1)`
}

function isAt(table: 'l' | 'v', { at, orLater }: LinkTime): RawBuilder<SqlBool> {
  const [from, until] = [sql.ref(`${table}.valid_from`), sql.ref(`${table}.valid_until`)]
  const hasBegun = orLater ? [] : [sql`(${from} IS NULL OR ${from} <= ${at})`]
  return sql<SqlBool>`(${sql.join([...hasBegun, sql`(${until} IS NULL OR ${until} > ${at})`], sql` AND `)})`
}

/** Finds memories of an agent that are linked to none of its entities. */
export function unlinkedMemoriesTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns the next memories after an id, of any agent. Chunks of documents and unsafe memories are never
     * linked.
     */
    after: async (agentId: string, id: string, limit: number): Promise<LinkingState[]> => {
      const isUnlinked = sql`m.agent_id = ${agentId} AND m.is_deleted = 0 AND m.visibility <> 'archived'
        AND m.type <> 'document_chunk' AND m.safety_status = 'clean' AND NOT EXISTS (
          SELECT 1 FROM entity_mentions n JOIN entities e ON e.id = n.entity_id
          WHERE n.memory_id = m.id AND e.agent_id = ${agentId})`
      const { rows } = await sql<{
        id: string
        unlinked: number
      }>`SELECT m.id, ${flag(isUnlinked)} AS unlinked
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(row => ({ id: row.id, isUnlinked: row.unlinked === 1 }))
    },
  }
}
