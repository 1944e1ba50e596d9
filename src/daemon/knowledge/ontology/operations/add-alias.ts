import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from '../model/find-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/** Another name by which an entity is found. A name leads to one entity: who has it keeps it. */
export const addAlias: OperationKind<'add_alias'> = {
  name: 'add_alias',
  perform: async ({ tables, reader: { agentId }, now }, { entity, alias }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejected('entity_not_found')
    const name_key = nameKey(alias)
    if (name_key === '') return rejected('name_without_words')
    const owner = await tables.entities.byName(agentId, name_key)
    if (owner && owner.id !== found.id) return rejected('name_taken')
    const done = { id: found.id, subjectId: found.id, mentioned: [found.id] }
    if (owner) return { status: 'deduplicated', ...done }
    await tables.entities.putName({ agent_id: agentId, name_key, entity_id: found.id, name: alias })
    await tables.entities.update(found.id, { updated_at: now })
    return { status: 'applied', ...done }
  },
}
