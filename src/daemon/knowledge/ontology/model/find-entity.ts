import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { nameKey } from '../../../ground/entities/name-key.js'

/**
 * The entity that an operation or a question names: by its id, else by its name or an active alias. One that was merged
 * meanwhile leads to what it became part of. Undefined when the agent knows none.
 */
export async function findEntity(
  { entities }: Pick<Tables, 'entities'>,
  agentId: string,
  named: string,
): Promise<EntityRow | undefined> {
  const key = nameKey(named)
  return (await entities.find(agentId, named)) ?? (key === '' ? undefined : entities.byName(agentId, key))
}
