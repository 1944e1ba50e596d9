import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { EntitiesTable, EntityNamesTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowsOf, thenJoin, unindexed } from '../../sql/dialect.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isVisible, type SourceFilter } from './evidence-boundary.js'

export type EntityRow = Selectable<EntitiesTable>
export type EntityName = Selectable<EntityNamesTable>

/** An entity with one of its names. */
export interface NamedEntity {
  id: string
  name: string
  entity_type: string
  name_key: string
}

/** A page of entities begins after this one. */
export interface EntityCursor {
  updated_at: string
  id: string
  /** Needed by orders of creation. */
  created_at?: string
}

const orders = {
  newest: { column: 'created_at', direction: sql`DESC`, comparison: sql`<` },
  oldest: { column: 'created_at', direction: sql`ASC`, comparison: sql`>` },
  changed: { column: 'updated_at', direction: sql`DESC`, comparison: sql`<` },
} as const
export type EntityOrder = keyof typeof orders

/** Maximum length of a chain of merges, far above any real one. */
const maxMerges = 1000

/** Entities and their names. Name keys are words separated by single spaces. */
export function entitiesTable(db: Kysely<Schema>) {
  return { ...naming(db), ...reads(db), ...writes(db) }
}

function naming(db: Kysely<Schema>) {
  return {
    /** Returns the given words that begin a name of the agent's entities. */
    beginningNames: async (agentId: string, words: readonly string[]): Promise<string[]> => {
      // '!' follows the space, so the range covers the word alone and the word with more.
      const { rows } = await sql<{ word: string }>`
        SELECT w.value AS word FROM ${rowsOf(words, 'w')}
        WHERE EXISTS (SELECT 1 FROM entity_names n
          WHERE n.agent_id = ${agentId} AND n.name_key >= w.value AND n.name_key < w.value || '!')`.execute(
        db,
      )
      return rows.map(({ word }) => word)
    },
    /** Returns entities of an agent whose name or active alias is one of the given keys. */
    named: async (agentId: string, keys: readonly string[]): Promise<NamedEntity[]> => {
      const { rows } = await sql<NamedEntity>`
        SELECT e.id, e.name, e.entity_type, n.name_key FROM ${rowsOf(keys, 'k')}
        ${thenJoin} entity_names n ON n.agent_id = ${agentId} AND n.name_key = k.value AND n.active = 1
        JOIN entities e ON e.id = n.entity_id AND e.agent_id = ${agentId}`.execute(db)
      return rows
    },
    /** Returns the names and aliases of entities, including retired ones. */
    namesOf: (entityIds: readonly string[]): Promise<EntityName[]> =>
      db
        .selectFrom('entity_names')
        .selectAll()
        .where('entity_id', 'in', [...entityIds])
        .orderBy('name_key')
        .execute(),
    /** Makes a name an active name of an entity. No other entity may have it. */
    putName: async (name: Omit<EntityName, 'active'>): Promise<void> => {
      await db
        .insertInto('entity_names')
        .values({ ...name, active: 1 })
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'name_key', 'entity_id']).doUpdateSet({ active: 1, name: name.name }),
        )
        .execute()
    },
    retireName: async (entityId: string, nameKey: string): Promise<void> => {
      await db
        .updateTable('entity_names')
        .set({ active: 0 })
        .where('entity_id', '=', entityId)
        .where(unindexed<string>('name_key'), '=', nameKey)
        .execute()
    },
  }
}

function reads(db: Kysely<Schema>) {
  return {
    /** Returns the entity with an id, or the one it was merged into; undefined when the agent has none. */
    find: async (agentId: string, id: string): Promise<EntityRow | undefined> => {
      const { rows } = await sql<EntityRow>`
        WITH RECURSIVE merged (id, depth) AS (
          SELECT ${id}, 0
          UNION ALL
          SELECT e.merged_into, merged.depth + 1 FROM merged JOIN entities e ON e.id = merged.id
          WHERE e.merged_into IS NOT NULL AND merged.depth < ${maxMerges}
        )
        SELECT e.* FROM merged JOIN entities e ON e.id = merged.id
        WHERE e.merged_into IS NULL AND ${unindexed('e.agent_id')} = ${agentId}`.execute(db)
      return rows[0]
    },
    /** Returns the entity that has an active name. */
    byName: async (agentId: string, nameKey: string): Promise<EntityRow | undefined> => {
      const { rows } =
        await sql<EntityRow>`SELECT e.* FROM entity_names n JOIN entities e ON e.id = n.entity_id
        WHERE n.agent_id = ${agentId} AND n.name_key = ${nameKey} AND n.active = 1`.execute(db)
      return rows[0]
    },
    /** Returns entities of an agent without an access check, most recently changed first by default. */
    page: async (
      agentId: string,
      after: EntityCursor | undefined,
      limit: number,
      sort: EntityOrder = 'changed',
    ): Promise<EntityRow[]> => {
      const { column, direction, comparison } = orders[sort]
      const place = sql`(${sql.ref(column)}, id)`
      const further = after ? sql`AND ${place} ${comparison} (${after[column] ?? ''}, ${after.id})` : sql``
      const { rows } = await sql<EntityRow>`SELECT * FROM entities
        WHERE agent_id = ${agentId} AND merged_into IS NULL ${further}
        ORDER BY ${sql.ref(column)} ${direction}, id ${direction} LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Counts the entities after a cursor in the same order, up to `limit`. */
    countBehind: async (agentId: string, after: EntityCursor | undefined, limit: number): Promise<number> => {
      const further = after ? sql`AND (updated_at, id) < (${after.updated_at}, ${after.id})` : sql``
      const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM (SELECT 1 FROM entities
        WHERE agent_id = ${agentId} AND merged_into IS NULL ${further} LIMIT ${limit}) behind`.execute(db)
      return rows[0]?.count ?? 0
    },
    /** Returns entities of an agent with an active name that begins with `nameKey`, ordered by name. */
    beginning: async (
      agentId: string,
      nameKey: string,
      after: string,
      limit: number,
    ): Promise<NamedEntity[]> => {
      const { rows } = await sql<NamedEntity>`SELECT e.id, e.name, e.entity_type, n.name_key
        FROM entity_names n JOIN entities e ON e.id = n.entity_id
        WHERE n.agent_id = ${agentId} AND n.active = 1 AND n.name_key > ${after}
          AND n.name_key >= ${nameKey} AND n.name_key < ${`${nameKey}\u{10FFFF}`}
        ORDER BY n.name_key LIMIT ${limit}`.execute(db)
      return rows
    },
    load: async (ids: readonly string[]): Promise<EntityRow[]> => {
      const { rows } = await sql<EntityRow>`SELECT * FROM entities WHERE id IN ${listOf(ids)}`.execute(db)
      return rows
    },
    /** Counts the values, links and mentions of an entity. */
    size: async (id: string): Promise<number> => {
      const { rows } = await sql<{ size: number }>`SELECT
        (SELECT count(*) FROM claims c JOIN claim_versions v ON v.claim_id = c.id WHERE c.entity_id = ${id})
        + (SELECT count(*) FROM entity_links WHERE from_id = ${id})
        + (SELECT count(*) FROM entity_links WHERE to_id = ${id})
        + (SELECT count(*) FROM entity_mentions WHERE entity_id = ${id}) AS size`.execute(db)
      return rows[0]?.size ?? 0
    },
    /** Returns the newest memories that mention an entity, without an access check. */
    newestMentions: async (id: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT memory_id AS id FROM entity_mentions
        WHERE entity_id = ${id} ORDER BY memory_id DESC LIMIT ${limit}`.execute(db)
      return rows.map(row => row.id)
    },
    /** Returns the given entities about which the reader may read a source (knowledge.md#who-reads-what). */
    told: async (
      ids: readonly string[],
      boundary: ReadBoundary,
      sources: SourceFilter = {},
    ): Promise<EntityRow[]> => {
      const seen = (subject: string) => isVisible(subject, boundary, sources)
      const { rows } = await sql<EntityRow>`SELECT e.* FROM entities e WHERE e.id IN ${listOf(ids)}
        AND (${seen('e.id')}
          OR EXISTS (SELECT 1 FROM claim_versions v WHERE v.entity_id = e.id AND v.status = 'current'
            AND ${seen('v.id')})
          OR EXISTS (SELECT 1 FROM claims c JOIN claim_versions v ON v.claim_id = c.id WHERE c.entity_id = e.id
            AND ${seen('v.id')})
          OR EXISTS (SELECT 1 FROM entity_links l WHERE l.from_id = e.id AND ${seen('l.id')})
          OR EXISTS (SELECT 1 FROM entity_links l WHERE l.to_id = e.id AND ${seen('l.id')}))`.execute(db)
      return rows
    },
  }
}

function writes(db: Kysely<Schema>) {
  return {
    insert: async (row: Insertable<EntitiesTable>): Promise<void> => {
      await db.insertInto('entities').values(row).execute()
    },
    update: async (id: string, change: Partial<Insertable<EntitiesTable>>): Promise<void> => {
      await db.updateTable('entities').set(change).where('id', '=', id).execute()
    },
    /** Returns whether an entity has or ever had a claim or a link. */
    isKnownOf: async (id: string): Promise<boolean> => {
      const { rows } = await sql`SELECT 1 FROM entities e WHERE e.id = ${id} AND (
        EXISTS (SELECT 1 FROM claims c WHERE c.entity_id = e.id)
        OR EXISTS (SELECT 1 FROM entity_links l WHERE l.from_id = e.id)
        OR EXISTS (SELECT 1 FROM entity_links l WHERE l.to_id = e.id)) LIMIT 1`.execute(db)
      return rows.length > 0
    },
    /** Permanently deletes an entity with its names, mentions and the entities merged into it. */
    drop: async (id: string): Promise<void> => {
      await db.deleteFrom('entities').where('merged_into', '=', id).execute()
      await db.deleteFrom('entities').where('id', '=', id).execute()
    },
    dropNames: async (entityId: string): Promise<void> => {
      await db.deleteFrom('entity_names').where('entity_id', '=', entityId).execute()
    },
    /** Moves the mentions of one entity to another. */
    moveMentions: async (from: string, into: string): Promise<void> => {
      await sql`INSERT INTO entity_mentions (entity_id, memory_id)
        SELECT ${into}, memory_id FROM entity_mentions WHERE entity_id = ${from}
        ON CONFLICT (entity_id, memory_id) DO NOTHING`.execute(db)
      await db.deleteFrom('entity_mentions').where('entity_id', '=', from).execute()
      await recount(db, into)
    },
    /** Moves the mentions in one memory to a duplicate of it. */
    moveMemory: async (from: string, into: string): Promise<void> => {
      await sql`INSERT INTO entity_mentions (entity_id, memory_id)
        SELECT entity_id, ${into} FROM entity_mentions WHERE memory_id = ${from}
        ON CONFLICT (entity_id, memory_id) DO NOTHING`.execute(db)
      const { rows } = await sql<{ entity_id: string }>`DELETE FROM entity_mentions WHERE memory_id = ${from}
        RETURNING entity_id`.execute(db)
      for (const { entity_id } of rows) await recount(db, entity_id)
    },
    /** Recounts the memories that mention an entity. */
    recount: (entityId: string): Promise<void> => recount(db, entityId),
    /** Records that memories mention an entity; repeated mentions count once. */
    mention: async (entityId: string, memoryIds: readonly string[]): Promise<void> => {
      await sql`INSERT INTO entity_mentions (entity_id, memory_id)
        SELECT ${entityId}, id FROM memories WHERE id IN ${listOf(memoryIds)}
        ON CONFLICT (entity_id, memory_id) DO NOTHING`.execute(db)
      await recount(db, entityId)
    },
  }
}

async function recount(db: Kysely<Schema>, entityId: string): Promise<void> {
  await sql`UPDATE entities SET mentions = (SELECT count(*) FROM entity_mentions WHERE entity_id = ${entityId})
    WHERE id = ${entityId}`.execute(db)
}
