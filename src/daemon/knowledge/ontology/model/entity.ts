import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { CreatedKind, Work } from './operation.js'

type NewEntity = Payload<'create_entity'>

/** Creates an entity with its aliases; names of other entities stay with those. Its own name must be free. */
export async function createEntityRow(
  { deps, tables, reader: { agentId }, now }: Work,
  { name, type, aliases, pinned }: NewEntity,
): Promise<EntityRow> {
  const row = {
    id: deps.newId(),
    agent_id: agentId,
    name,
    name_key: nameKey(name),
    entity_type: type,
    pinned: pinned ? 1 : 0,
    mentions: 0,
    merged_into: null,
    created_at: now,
    updated_at: now,
  }
  await tables.entities.insert(row)
  for (const one of [name, ...(aliases ?? [])]) {
    const key = nameKey(one)
    const isTaken = key === '' || (await tables.entities.byName(agentId, key)) !== undefined
    if (!isTaken)
      await tables.entities.putName({ agent_id: agentId, name_key: key, entity_id: row.id, name: one })
  }
  return row
}

/** The entity of an operation: an existing one, or one to create when the operation is applied. */
export interface EntityTarget {
  row: EntityRow | undefined
  /** Name and type for creating it. */
  named: NewEntity
}

/**
 * Finds the entity of an operation. An unknown one may be created later if the operation gives its type, so
 * that proposals leave no entities behind.
 * @returns undefined if it neither exists nor can be created
 */
export async function findOrPlanEntity(
  { tables, reader }: Work,
  name: string,
  type: string | null | undefined,
): Promise<EntityTarget | undefined> {
  const row = await findEntity(tables, reader.agentId, name)
  if (row) return { row, named: { name: row.name, type: row.entity_type } }
  return type && nameKey(name) !== '' ? { row: undefined, named: { name, type } } : undefined
}

/**
 * Creates the entity if needed. Only applied operations may call it, because rejected ones must not change
 * anything.
 */
export async function ensureEntity(
  work: Work,
  { row, named }: EntityTarget,
): Promise<{ row: EntityRow; made: readonly CreatedKind[] }> {
  return row ? { row, made: [] } : { row: await createEntityRow(work, named), made: ['entity'] }
}

/** True if both are the same entity, existing or not. */
export function isSameEntity(one: EntityTarget, other: EntityTarget): boolean {
  return one.row || other.row
    ? one.row?.id === other.row?.id
    : nameKey(one.named.name) === nameKey(other.named.name)
}

/**
 * Finds an entity by id, name or active alias. A merged entity leads to the one it was merged into. Undefined
 * if the agent knows none.
 */
export async function findEntity(
  { entities }: Pick<Tables, 'entities'>,
  agentId: string,
  named: string,
): Promise<EntityRow | undefined> {
  const key = nameKey(named)
  return (await entities.find(agentId, named)) ?? (key === '' ? undefined : entities.byName(agentId, key))
}
