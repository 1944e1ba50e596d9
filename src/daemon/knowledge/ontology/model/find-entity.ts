import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { nameKey } from '../../../ground/entities/name-key.js'

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
