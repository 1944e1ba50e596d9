import { nameKey } from '../../../ground/entities/name-key.js'
import { makeEntity } from '../model/make-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/**
 * A new entity with its aliases. A name that an entity has already is that entity: what is said of it again is evidence
 * for it. An alias that another one has stays with that one.
 */
export const createEntity: OperationKind<'create_entity'> = {
  name: 'create_entity',
  perform: async (work, payload) => {
    const { tables, reader } = work
    const name_key = nameKey(payload.name)
    if (name_key === '') return rejected('name_without_words')
    const known = await tables.entities.byName(reader.agentId, name_key)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned: [known.id] }
    const { id } = await makeEntity(work, payload)
    return { status: 'applied', id, subjectId: id, mentioned: [id], made: ['entity'] }
  },
}
