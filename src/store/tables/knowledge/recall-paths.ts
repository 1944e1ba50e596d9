import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag, joinChosen, joinNumbers, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { fixedStatement, type StatementParameters, shapedStatement } from '../../sql/fixed-statement.js'
import { sameProject } from '../../sql/same-project.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isVisible } from './evidence-boundary.js'

/** The kind of thing a name refers to: an entity, or a part of a claim's slot. */
export type NameKind = 'entity' | 'claim' | 'aspect' | 'group'

/** A thing with a given name: an entity, or a slot. */
export interface NamedThing {
  part: NameKind
  /** The folded name. */
  key: string
  entity_id: string | null
  /** Null for an entity, and for a part that too many slots share. */
  claim_id: string | null
}

/** Names to look up, by kind. */
export type NamesByPart = Readonly<Record<NameKind, readonly string[]>>

/** A memory that states a value, with the slot of the value. */
export interface ClaimPath {
  memory_id: string
  version_id: string
  entity_id: string
  /** 0 to 1. */
  confidence: number
  aspect_key: string
  group_key: string
  claim_key: string
}

/** A link as seen from the entity in the query. */
export interface LinkPath {
  near: string
  far: string
  /** 0 to 1. */
  confidence: number
}

/** A memory that mentions an entity, and the entity's number of mentions. */
export interface MentionPath {
  entity_id: string
  memory_id: string
  mentions: number
}

export interface ClaimPathQuery {
  agentId: string
  /** Slots whose values are wanted. */
  claims: readonly string[]
  /** Entities whose most confident values are wanted, plus those in slots named by `keys`. */
  entities: readonly string[]
  keys: readonly string[]
  /** Values of this project and of none; undefined selects every project. */
  project: string | undefined
  /** ISO time at which they are in force. */
  now: string
  /** Limits of values per entity, and of memories per value. */
  perEntity: number
  perValue: number
}

/**
 * Paths from names through the knowledge graph to memories (recall.md#the-graph). The start of each walk is
 * bounded.
 */
export function recallPathsTable(db: Kysely<Schema>) {
  return { ...names(db), ...walks(db) }
}

const parts = ['claim', 'aspect', 'group'] as const

const columns = { claim: 'claim_key', aspect: 'aspect_key', group: 'group_key' } as const

/** The default group does not count as a name. */
function countsAs(part: keyof typeof columns, slot: string): RawBuilder<unknown> {
  return part === 'group' ? sql`${sql.ref(`${slot}.group_key`)} <> 'general'` : sql`TRUE`
}

/** Matches a slot of the agent that has the name of row `k` in the given part. */
function isNamed(
  part: keyof typeof columns,
  slot: string,
  agentId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`${sql.ref(`${slot}.agent_id`)} = ${agentId} AND ${sql.ref(`${slot}.${columns[part]}`)} = k.value
    AND ${countsAs(part, slot)}`
}

/** Matches a name that is the word of row `w` or begins with it; '!' follows the space. */
function beginsWith(column: string): RawBuilder<unknown> {
  return sql`${sql.ref(column)} >= w.value AND ${sql.ref(column)} < w.value || '!'`
}

function names(db: Kysely<Schema>) {
  const beginning = fixedStatement(db, wordsThatBegin)
  const named = fixedStatement(db, thingsNamed)
  const withSlotNamed = fixedStatement(db, entitiesWithSlotNamed)
  return {
    /** Returns the given words that begin a name, by kind; most words of a query begin none. */
    beginning: async (agentId: string, words: readonly string[]): Promise<Record<NameKind, Set<string>>> => {
      const rows = await beginning({ agentId, words })
      const of = (part: NameKind) => new Set(rows.filter(row => row[part] === 1).map(({ word }) => word))
      return { entity: of('entity'), claim: of('claim'), aspect: of('aspect'), group: of('group') }
    },
    /**
     * Returns entities by name or active alias, and slots with a part of that name unless `most` or more have
     * it. Each name is looked up in an index, so the cost does not depend on the size of the graph.
     */
    named: (agentId: string, keys: NamesByPart, most: number): Promise<NamedThing[]> =>
      named({ agentId, keys, most }),
    /** Returns the given entities that have a slot with one of the names. */
    withSlotNamed: async (
      agentId: string,
      entities: readonly string[],
      keys: readonly string[],
    ): Promise<Set<string>> =>
      new Set((await withSlotNamed({ agentId, entities, keys })).map(({ id }) => id)),
  }
}

interface WordQuery {
  agentId: string
  words: readonly string[]
}

function wordsThatBegin({ value, rows }: StatementParameters<WordQuery>) {
  const agentId = value(asked => asked.agentId)
  const slots = parts.map(
    part =>
      sql`${flag(sql`EXISTS (SELECT 1 FROM claims c WHERE c.agent_id = ${agentId}
        AND ${beginsWith(`c.${columns[part]}`)} AND ${countsAs(part, 'c')})`)} AS ${sql.ref(part)}`,
  )
  return sql<Record<NameKind, 0 | 1> & { word: string }>`SELECT w.value AS word,
    ${flag(sql`EXISTS (SELECT 1 FROM entity_names n WHERE n.agent_id = ${agentId} AND n.active = 1
      AND ${beginsWith('n.name_key')})`)} AS entity, ${sql.join(slots)}
    FROM ${rows(({ words }) => words, 'w')}`
}

interface NameQuery {
  agentId: string
  keys: NamesByPart
  most: number
}

function thingsNamed({ value, rows }: StatementParameters<NameQuery>) {
  const agentId = value(asked => asked.agentId)
  const slots = parts.map(part => {
    const keys = rows(asked => asked.keys[part], 'k')
    const many = sql`EXISTS (SELECT 1 FROM claims c WHERE ${isNamed(part, 'c', agentId)}
      LIMIT 1 OFFSET ${value(({ most }) => most - 1)})`
    return sql`SELECT ${sql.lit(part)} AS part, k.value AS key, NULL AS entity_id, slot.id AS claim_id
      FROM ${keys} ${thenJoin} claims slot ON ${isNamed(part, 'slot', agentId)} WHERE NOT ${many}
      UNION ALL SELECT ${sql.lit(part)}, k.value, NULL, NULL FROM ${keys} WHERE ${many}`
  })
  return sql<NamedThing>`SELECT 'entity' AS part, k.value AS key, n.entity_id, NULL AS claim_id
    FROM ${rows(({ keys }) => keys.entity, 'k')}
    ${thenJoin} entity_names n ON n.agent_id = ${agentId} AND n.name_key = k.value AND n.active = 1
    UNION ALL ${sql.join(slots, sql` UNION ALL `)}`
}

function entitiesWithSlotNamed({
  value,
  rows,
}: StatementParameters<{ agentId: string; entities: readonly string[]; keys: readonly string[] }>) {
  const agentId = value(asked => asked.agentId)
  const has = parts.map(
    part => sql`EXISTS (SELECT 1 FROM ${rows(({ keys }) => keys, 'k')} ${thenJoin} claims c
      ON c.entity_id = e.value AND ${isNamed(part, 'c', agentId)})`,
  )
  return sql<{ id: string }>`SELECT e.value AS id FROM ${rows(({ entities }) => entities, 'e')}
    WHERE ${sql.join(has, sql` OR `)}`
}

/**
 * Joins by row number to avoid another index. Source ids ascend with time, so the newest `perValue` are those
 * from an offset on.
 */
function pathsOfClaims(places: StatementParameters<ClaimPathQuery>) {
  const { value, rows } = places
  const row = rowNumber('w')
  const best = sql`SELECT ${rowNumber('x')} FROM claim_versions x WHERE x.entity_id = e.value AND x.status = 'current'
    ORDER BY x.confidence DESC, x.id DESC LIMIT ${value(({ perEntity }) => perEntity)}`
  return sql<ClaimPath>`SELECT s.source_id AS memory_id, v.id AS version_id, v.entity_id,
      v.confidence, c.aspect_key, c.group_key, c.claim_key
    FROM claim_versions v ${thenJoin} claims c ON c.id = v.claim_id
    ${thenJoin} evidence_spans s ON s.subject_id = v.id AND s.source_kind = 'memory' AND s.source_id >= COALESCE(
      (SELECT t.source_id FROM evidence_spans t WHERE t.subject_id = v.id AND t.source_kind = 'memory'
        ORDER BY t.source_id DESC LIMIT 1 OFFSET ${value(({ perValue }) => perValue - 1)}), '')
    WHERE ${rowNumber('v')} IN (
      SELECT ${row} FROM ${rows(({ claims }) => claims, 'k')} ${thenJoin} claim_versions w
        ON w.claim_id = k.value AND w.status = 'current'
      UNION ALL SELECT ${row} FROM ${slotsOf(places)} ${thenJoin} claim_versions w
        ON w.claim_id = slot.id AND w.status = 'current'
      UNION ALL SELECT ${row} FROM ${rows(({ entities }) => entities, 'e')} ${joinNumbers('claim_versions', 'w', best)})
      AND ${isInForce(places)}
    ORDER BY v.id, s.source_id`
}

function walks(db: Kysely<Schema>) {
  const links = shapedStatement(db, linksOf)
  const mentions = fixedStatement(db, mentionsOf)
  return {
    /** Returns memories that state current values of slots and entities. */
    claimPaths: fixedStatement(db, pathsOfClaims),
    /**
     * Returns current links of entities that the reader may see, in both directions, limited per entity and
     * direction.
     */
    linkPaths: (
      entities: readonly string[],
      { boundary, now, limit }: { boundary: ReadBoundary; now: string; limit: number },
    ): Promise<LinkPath[]> => links(boundary, { entities, now, limit }),
    /** Returns the newest memories that mention each entity. */
    mentionPaths: (entities: readonly string[], limit: number): Promise<MentionPath[]> =>
      mentions({ entities, limit }),
    /** Returns the agent's entities that memories mention, by memory. */
    mentionedBy: async (
      agentId: string,
      memoryIds: readonly string[],
    ): Promise<{ entity_id: string; memory_id: string }[]> => {
      const { rows } = await sql<{ entity_id: string; memory_id: string }>`SELECT m.entity_id, m.memory_id
        FROM entity_mentions m WHERE m.memory_id IN ${listOf(memoryIds)}
        AND EXISTS (SELECT 1 FROM entities e WHERE e.id = m.entity_id AND e.agent_id = ${agentId})`.execute(
        db,
      )
      return rows
    },
  }
}

interface LinkQuery {
  entities: readonly string[]
  /** ISO time at which they are in force. */
  now: string
  limit: number
}

function linksOf(boundary: ReadBoundary, { value, rows }: StatementParameters<LinkQuery>) {
  const now = value(asked => asked.now)
  const one = (near: 'from_id' | 'to_id', far: 'from_id' | 'to_id') => {
    const [own, other] = [sql.ref(near), sql.ref(far)]
    const some = sql`SELECT ${rowNumber('m')} FROM entity_links m WHERE m.${own} = e.value AND m.status = 'current'
      LIMIT ${value(({ limit }) => limit)}`
    return sql`SELECT e.value AS near, l.${other} AS far, l.confidence
      FROM ${rows(({ entities }) => entities, 'e')} ${joinChosen('entity_links', 'l', some)}
      WHERE (l.valid_from IS NULL OR l.valid_from <= ${now}) AND (l.valid_until IS NULL OR l.valid_until > ${now})
        AND ${isVisible('l.id', boundary)}`
  }
  return sql<LinkPath>`${one('from_id', 'to_id')} UNION ALL ${one('to_id', 'from_id')}`
}

function mentionsOf({ value, rows }: StatementParameters<{ entities: readonly string[]; limit: number }>) {
  return sql<MentionPath>`SELECT e.id AS entity_id, m.memory_id, e.mentions
    FROM ${rows(({ entities }) => entities, 'k')} ${thenJoin} entities e ON e.id = k.value
    ${thenJoin} entity_mentions m ON m.entity_id = e.id AND m.memory_id >= COALESCE(
      (SELECT n.memory_id FROM entity_mentions n WHERE n.entity_id = e.id
        ORDER BY n.memory_id DESC LIMIT 1 OFFSET ${value(({ limit }) => limit - 1)}), '')`
}

/** Selects slots named by a key, of entities with more values than are followed anyway. */
function slotsOf({ value, rows }: StatementParameters<ClaimPathQuery>): RawBuilder<unknown> {
  const agentId = value(asked => asked.agentId)
  const of = parts.map(
    part => sql`SELECT c.id FROM ${rows(({ entities }) => entities, 'e')} ${thenJoin}
      ${rows(({ keys }) => keys, 'k')} ON TRUE ${thenJoin} claims c
      ON c.entity_id = e.value AND ${isNamed(part, 'c', agentId)}
      WHERE EXISTS (SELECT 1 FROM claim_versions x WHERE x.entity_id = e.value AND x.status = 'current'
        LIMIT 1 OFFSET ${value(({ perEntity }) => perEntity)})`,
  )
  return sql`(${sql.join(of, sql` UNION ALL `)}) slot`
}

/** Matches values `v` in force at the given time, in the project or in none. */
function isInForce({ value }: StatementParameters<ClaimPathQuery>): RawBuilder<unknown> {
  const project = value(asked => asked.project ?? null)
  const now = value(asked => asked.now)
  return sql`(CAST(${project} AS TEXT) IS NULL OR v.project IS NULL OR ${sameProject('v.project', project)})
    AND (v.valid_from IS NULL OR v.valid_from <= ${now}) AND (v.valid_until IS NULL OR v.valid_until > ${now})`
}
