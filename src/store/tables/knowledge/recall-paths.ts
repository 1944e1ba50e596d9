import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { fixedStatement, type Places, shapedStatement } from '../../sql/fixed-statement.js'
import type { ReadBoundary } from '../memory/memory-filter.js'
import { isTold } from './evidence-boundary.js'

/** What a name names: an entity, or a part of the slots of claims. */
export type NamedPart = 'entity' | 'claim' | 'aspect' | 'group'

/** One thing that a name leads to: an entity, or a slot. */
export interface NamedThing {
  part: NamedPart
  /** The name, folded. */
  key: string
  entity_id: string | null
  /** Null for an entity, and for a part that too many slots have. */
  claim_id: string | null
}

/** Names that are looked for, by what they may name. */
export type NamesByPart = Readonly<Record<NamedPart, readonly string[]>>

/** A memory that says a value, with the slot of it. */
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

/** A link as the entity sees it that was asked for. */
export interface LinkPath {
  near: string
  far: string
  /** 0 to 1. */
  confidence: number
}

/** A memory that mentions an entity, and how many do. */
export interface MentionPath {
  entity_id: string
  memory_id: string
  mentions: number
}

export interface ClaimPathQuery {
  agentId: string
  /** Slots whose values are wanted. */
  claims: readonly string[]
  /** Entities of which the surest values are wanted, and those of slots that `keys` name. */
  entities: readonly string[]
  keys: readonly string[]
  /** Values of this project and of none; undefined: of every project. */
  project: string | undefined
  /** ISO time at which they hold. */
  now: string
  /** The surest of each entity, and the memories of each value. */
  perEntity: number
  perValue: number
}

/** Ways from names to memories through what is known (recall.md#the-graph). Every walk is bounded where it begins. */
export function recallPathsTable(db: Kysely<Schema>) {
  return { ...names(db), ...walks(db) }
}

const parts = ['claim', 'aspect', 'group'] as const

const columns = { claim: 'claim_key', aspect: 'aspect_key', group: 'group_key' } as const

/** Which slots count: the group that they have by default names none. */
function countsAs(part: keyof typeof columns, slot: string): RawBuilder<unknown> {
  return part === 'group' ? sql`${sql.ref(`${slot}.group_key`)} <> 'general'` : sql`TRUE`
}

/** Whether a part of a slot of the agent has the name of the row `k`. */
function isNamed(
  part: keyof typeof columns,
  slot: string,
  agentId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`${sql.ref(`${slot}.agent_id`)} = ${agentId} AND ${sql.ref(`${slot}.${columns[part]}`)} = k.value
    AND ${countsAs(part, slot)}`
}

/** Whether a name in a column is the word of the row `w`, or begins with it: the next character after a space ends that. */
function beginsWith(column: string): RawBuilder<unknown> {
  return sql`${sql.ref(column)} >= w.value AND ${sql.ref(column)} < w.value || '!'`
}

function names(db: Kysely<Schema>) {
  const beginning = fixedStatement(db, wordsThatBegin)
  const named = fixedStatement(db, thingsNamed)
  const withSlotNamed = fixedStatement(db, entitiesWithSlotNamed)
  return {
    /** Of the given words those that a name begins with, by what it names. Most words of a query begin none. */
    beginning: async (agentId: string, words: readonly string[]): Promise<Record<NamedPart, Set<string>>> => {
      const rows = await beginning({ agentId, words })
      const of = (part: NamedPart) => new Set(rows.filter(row => row[part] === 1).map(({ word }) => word))
      return { entity: of('entity'), claim: of('claim'), aspect: of('aspect'), group: of('group') }
    },
    /**
     * What folded names lead to: entities by name or active alias, and the slots that have a part of that name, where
     * fewer than so many have it. Every name is looked up by an index, however many entities and claims there are.
     */
    named: (agentId: string, keys: NamesByPart, most: number): Promise<NamedThing[]> =>
      named({ agentId, keys, most }),
    /** Of entities those of which a slot has a part of one of the names. */
    withSlotNamed: async (
      agentId: string,
      entities: readonly string[],
      keys: readonly string[],
    ): Promise<Set<string>> =>
      new Set((await withSlotNamed({ agentId, entities, keys })).map(({ id }) => id)),
  }
}

interface Words {
  agentId: string
  words: readonly string[]
}

function wordsThatBegin({ value, rows }: Places<Words>) {
  const agentId = value(asked => asked.agentId)
  const slots = parts.map(
    part =>
      sql`${flag(sql`EXISTS (SELECT 1 FROM claims c WHERE c.agent_id = ${agentId}
        AND ${beginsWith(`c.${columns[part]}`)} AND ${countsAs(part, 'c')})`)} AS ${sql.ref(part)}`,
  )
  return sql<Record<NamedPart, 0 | 1> & { word: string }>`SELECT w.value AS word,
    ${flag(sql`EXISTS (SELECT 1 FROM entity_names n WHERE n.agent_id = ${agentId} AND n.active = 1
      AND ${beginsWith('n.name_key')})`)} AS entity, ${sql.join(slots)}
    FROM ${rows(({ words }) => words, 'w')}`
}

interface NamesOfAgent {
  agentId: string
  keys: NamesByPart
  most: number
}

function thingsNamed({ value, rows }: Places<NamesOfAgent>) {
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
}: Places<{ agentId: string; entities: readonly string[]; keys: readonly string[] }>) {
  const agentId = value(asked => asked.agentId)
  const has = parts.map(
    part => sql`EXISTS (SELECT 1 FROM ${rows(({ keys }) => keys, 'k')} ${thenJoin} claims c
      ON c.entity_id = e.value AND ${isNamed(part, 'c', agentId)})`,
  )
  return sql<{ id: string }>`SELECT e.value AS id FROM ${rows(({ entities }) => entities, 'e')}
    WHERE ${sql.join(has, sql` OR `)}`
}

/**
 * Rows are read again by their numbers, which takes no other index. The newest sources stand last: whatever is not before
 * the last but so many is one of them.
 */
function pathsOfClaims(places: Places<ClaimPathQuery>) {
  const { value, rows } = places
  const row = rowNumber('w')
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
      UNION ALL SELECT ${row} FROM ${rows(({ entities }) => entities, 'e')} ${thenJoin} claim_versions w ON ${row} IN (
        SELECT ${rowNumber('x')} FROM claim_versions x WHERE x.entity_id = e.value AND x.status = 'current'
        ORDER BY x.confidence DESC, x.id DESC LIMIT ${value(({ perEntity }) => perEntity)}))
      AND ${holds(places)}
    ORDER BY v.id, s.source_id`
}

function walks(db: Kysely<Schema>) {
  const links = shapedStatement(db, linksOf)
  const mentions = fixedStatement(db, mentionsOf)
  return {
    /** Memories that say what slots and entities hold now, by their current values. */
    claimPaths: fixedStatement(db, pathsOfClaims),
    /**
     * Current links of entities that the reader may be told, both ways, at most so many of each entity and direction.
     */
    linkPaths: (
      entities: readonly string[],
      { boundary, now, limit }: { boundary: ReadBoundary; now: string; limit: number },
    ): Promise<LinkPath[]> => links(boundary, { entities, now, limit }),
    /** The newest memories that mention entities, so many of each. */
    mentionPaths: (entities: readonly string[], limit: number): Promise<MentionPath[]> =>
      mentions({ entities, limit }),
    /** Of an agent's entities those that memories mention, by memory. */
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
  /** ISO time at which they hold. */
  now: string
  limit: number
}

function linksOf(boundary: ReadBoundary, { value, rows }: Places<LinkQuery>) {
  const now = value(asked => asked.now)
  const one = (near: 'from_id' | 'to_id', far: 'from_id' | 'to_id') => {
    const [own, other] = [sql.ref(near), sql.ref(far)]
    return sql`SELECT e.value AS near, l.${other} AS far, l.confidence
      FROM ${rows(({ entities }) => entities, 'e')} ${thenJoin} entity_links l ON ${rowNumber('l')} IN (
        SELECT ${rowNumber('m')} FROM entity_links m WHERE m.${own} = e.value AND m.status = 'current'
        LIMIT ${value(({ limit }) => limit)})
      WHERE (l.valid_from IS NULL OR l.valid_from <= ${now}) AND (l.valid_until IS NULL OR l.valid_until > ${now})
        AND ${isTold('l.id', boundary)}`
  }
  return sql<LinkPath>`${one('from_id', 'to_id')} UNION ALL ${one('to_id', 'from_id')}`
}

function mentionsOf({ value, rows }: Places<{ entities: readonly string[]; limit: number }>) {
  return sql<MentionPath>`SELECT e.id AS entity_id, m.memory_id, e.mentions
    FROM ${rows(({ entities }) => entities, 'k')} ${thenJoin} entities e ON e.id = k.value
    ${thenJoin} entity_mentions m ON m.entity_id = e.id AND m.memory_id >= COALESCE(
      (SELECT n.memory_id FROM entity_mentions n WHERE n.entity_id = e.id
        ORDER BY n.memory_id DESC LIMIT 1 OFFSET ${value(({ limit }) => limit - 1)}), '')`
}

/** Slots that one of the keys names, of the entities that have more values than are followed anyway. */
function slotsOf({ value, rows }: Places<ClaimPathQuery>): RawBuilder<unknown> {
  const agentId = value(asked => asked.agentId)
  const of = parts.map(
    part => sql`SELECT c.id FROM ${rows(({ entities }) => entities, 'e')} ${thenJoin}
      ${rows(({ keys }) => keys, 'k')} ${thenJoin} claims c
      ON c.entity_id = e.value AND ${isNamed(part, 'c', agentId)}
      WHERE EXISTS (SELECT 1 FROM claim_versions x WHERE x.entity_id = e.value AND x.status = 'current'
        LIMIT 1 OFFSET ${value(({ perEntity }) => perEntity)})`,
  )
  return sql`(${sql.join(of, sql` UNION ALL `)}) slot`
}

/** Whether the value `v` holds at the time that is asked about, in the project or in none. */
function holds({ value }: Places<ClaimPathQuery>): RawBuilder<unknown> {
  const project = value(asked => asked.project ?? null)
  const now = value(asked => asked.now)
  return sql`(${project} IS NULL OR v.project IS NULL OR v.project = ${project})
    AND (v.valid_from IS NULL OR v.valid_from <= ${now}) AND (v.valid_until IS NULL OR v.valid_until > ${now})`
}
