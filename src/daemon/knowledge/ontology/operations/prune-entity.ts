import { isGenericName } from '../../../ground/entities/generic-name.js'
import { type OperationKind, rejected } from '../model/operation.js'

/**
 * An entity whose name says nothing goes for good, with its names and mentions; memories stay. What is pinned stays, and
 * so does what anything is known of: a claim or a link makes the dullest name mean something.
 */
export const pruneEntity: OperationKind<'prune_entity'> = {
  name: 'prune_entity',
  isHygiene: true,
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await tables.entities.find(agentId, entity)
    if (found?.id !== entity) return rejected('entity_not_found')
    if (found.pinned === 1) return rejected('entity_pinned')
    if (!isGenericName(found.name)) return rejected('entity_concrete')
    if (await tables.entities.isKnownOf(found.id)) return rejected('entity_known_of')
    await tables.evidenceSpans.release(found.id)
    await tables.entities.drop(found.id)
    return { status: 'applied', id: found.id }
  },
}
