import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowsOf, thenJoin } from '../../sql/dialect.js'

/** An entity by one of its names. */
export interface NamedEntity {
  id: string
  name: string
  entity_type: string
  name_key: string
}

export interface EntityAttribute {
  entity_id: string
  aspect: string
  content: string
  score: number
}

export interface AttributeQuery {
  minScore: number
  /** Its attributes, and those of no project. */
  project: string | null
  limit: number
}

/**
 * Known entities with their names and attributes (rules.md 4.10): the reading side. Name keys are words with one space
 * between.
 */
export function entitiesTable(db: Kysely<Schema>) {
  return {
    /** Of the given words, those that a name of an agent's entities begins with. */
    beginningNames: async (agentId: string, words: readonly string[]): Promise<string[]> => {
      // Up to the character after the space: the word alone, or the word and more.
      const { rows } = await sql<{ word: string }>`
        SELECT w.value AS word FROM ${rowsOf(words, 'w')}
        WHERE EXISTS (SELECT 1 FROM entity_names n
          WHERE n.agent_id = ${agentId} AND n.name_key >= w.value AND n.name_key < w.value || '!')`.execute(
        db,
      )
      return rows.map(({ word }) => word)
    },
    /** Entities of an agent whose name or active alias is one of the given keys. */
    named: async (agentId: string, keys: readonly string[]): Promise<NamedEntity[]> => {
      const { rows } = await sql<NamedEntity>`
        SELECT e.id, e.name, e.entity_type, n.name_key FROM ${rowsOf(keys, 'k')}
        ${thenJoin} entity_names n ON n.agent_id = ${agentId} AND n.name_key = k.value AND n.active = 1
        JOIN entities e ON e.id = n.entity_id AND e.agent_id = ${agentId}`.execute(db)
      return rows
    },
    /** Current attributes that score as much, best first, at most `limit` of each entity. */
    currentAttributes: async (
      entityIds: readonly string[],
      { minScore, project, limit }: AttributeQuery,
    ): Promise<EntityAttribute[]> => {
      const { rows } = await sql<EntityAttribute>`
        SELECT entity_id, aspect, content, score FROM (
          SELECT entity_id, aspect, content, score,
            row_number() OVER (PARTITION BY entity_id ORDER BY score DESC, updated_at DESC, id) AS place
          FROM entity_attributes
          WHERE entity_id IN ${listOf(entityIds)} AND status = 'current'
            AND score >= ${minScore} AND (project IS NULL OR project IS NOT DISTINCT FROM ${project}))
        WHERE place <= ${limit} ORDER BY score DESC, entity_id`.execute(db)
      return rows
    },
  }
}
