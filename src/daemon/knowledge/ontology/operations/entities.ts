import { isGenericName } from '../../../ground/entities/generic-name.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from '../model/find-entity.js'
import { createEntityRow } from '../model/make-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/**
 * Creates an entity with its aliases. If its name is already known, the existing entity gains the evidence.
 * Aliases of other entities stay with those.
 */
export const createEntity: OperationKind<'create_entity'> = {
  name: 'create_entity',
  perform: async (work, payload) => {
    const { tables, reader } = work
    const name_key = nameKey(payload.name)
    if (name_key === '') return rejected('name_without_words')
    const known = await tables.entities.byName(reader.agentId, name_key)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned: [known.id] }
    const { id } = await createEntityRow(work, payload)
    return { status: 'applied', id, subjectId: id, mentioned: [id], made: ['entity'] }
  },
}

/** Records that a memory mentions an existing entity; never creates one. */
export const mentionEntity: OperationKind<'mention_entity'> = {
  name: 'mention_entity',
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejected('entity_not_found')
    return { status: 'applied', id: found.id, subjectId: found.id, mentioned: [found.id] }
  },
}

/**
 * Permanently deletes an entity with a meaningless name, its names and mentions; memories stay. Pinned
 * entities stay, and so do entities with facts or links.
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
