import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from '../model/find-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/** An alias that leads to its entity no more. The name of an entity stays. */
export const retireAlias: OperationKind<'retire_alias'> = {
  name: 'retire_alias',
  isHygiene: true,
  perform: async ({ tables, reader: { agentId }, now }, { entity, alias }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejected('entity_not_found')
    const key = nameKey(alias)
    if (key === found.name_key) return rejected('alias_is_the_name')
    const owner = await tables.entities.byName(agentId, key)
    if (owner?.id !== found.id) return rejected('alias_not_found')
    await tables.entities.retireName(found.id, key)
    await tables.entities.update(found.id, { updated_at: now })
    return { status: 'applied', id: found.id }
  },
}
