import { nameKey } from '../../../ground/entities/name-key.js'
import { type OperationKind, rejected } from '../model/operation.js'

/**
 * A new entity with its aliases. A name that an entity has already is that entity: what is said of it again is evidence
 * for it. An alias that another one has stays with that one.
 */
export const createEntity: OperationKind<'create_entity'> = {
  name: 'create_entity',
  perform: async ({ deps, tables, reader: { agentId }, now }, { name, type, aliases, pinned }) => {
    const name_key = nameKey(name)
    if (name_key === '') return rejected('name_without_words')
    const known = await tables.entities.byName(agentId, name_key)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned: [known.id] }
    const id = deps.newId()
    await tables.entities.insert({
      id,
      agent_id: agentId,
      name,
      name_key,
      entity_type: type,
      pinned: pinned ? 1 : 0,
      mentions: 0,
      merged_into: null,
      created_at: now,
      updated_at: now,
    })
    for (const one of [name, ...(aliases ?? [])]) {
      const key = nameKey(one)
      const isTaken = key === '' || (await tables.entities.byName(agentId, key)) !== undefined
      if (!isTaken)
        await tables.entities.putName({ agent_id: agentId, name_key: key, entity_id: id, name: one })
    }
    return { status: 'applied', id, subjectId: id, mentioned: [id], made: ['entity'] }
  },
}
