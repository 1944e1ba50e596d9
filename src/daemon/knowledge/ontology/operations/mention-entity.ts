import { findEntity } from '../model/find-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/** A memory that names an entity speaks of it from now on. The entity has to be there: none is made. */
export const mentionEntity: OperationKind<'mention_entity'> = {
  name: 'mention_entity',
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejected('entity_not_found')
    return { status: 'applied', id: found.id, subjectId: found.id, mentioned: [found.id] }
  },
}
