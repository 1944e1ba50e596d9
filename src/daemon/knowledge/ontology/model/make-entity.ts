import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from './find-entity.js'
import type { Made, Work } from './operation.js'

type NewEntity = Payload<'create_entity'>

/** A new entity with its aliases; names that another one has stay with that one. Its own name must be nobody's. */
export async function makeEntity(
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

/** The entity that an operation is about: one that is known, or one that is made once nothing speaks against it. */
export interface Sought {
  row: EntityRow | undefined
  /** What it would be made of. */
  named: NewEntity
}

/**
 * Looks for the entity that an operation is about. What nobody named yet may be made where the operation tells its type,
 * so that what is only proposed leaves none behind.
 * @returns undefined where there is none, and none can be made
 */
export async function seekEntity(
  { tables, reader }: Work,
  name: string,
  type: string | null | undefined,
): Promise<Sought | undefined> {
  const row = await findEntity(tables, reader.agentId, name)
  if (row) return { row, named: { name: row.name, type: row.entity_type } }
  return type && nameKey(name) !== '' ? { row: undefined, named: { name, type } } : undefined
}

/** Makes what was sought if it is not there. Only an operation that is done calls it: a rejected one changes nothing. */
export async function obtainEntity(
  work: Work,
  { row, named }: Sought,
): Promise<{ row: EntityRow; made: readonly Made[] }> {
  return row ? { row, made: [] } : { row: await makeEntity(work, named), made: ['entity'] }
}

/** Whether both are one entity, made or not. */
export function isSameEntity(one: Sought, other: Sought): boolean {
  return one.row || other.row
    ? one.row?.id === other.row?.id
    : nameKey(one.named.name) === nameKey(other.named.name)
}
