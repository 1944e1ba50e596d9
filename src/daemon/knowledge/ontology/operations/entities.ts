import { isGenericName } from '../../../ground/entities/generic-name.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from '../model/find-entity.js'
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

/** A memory that names an entity speaks of it from now on. The entity has to be there: none is made. */
export const mentionEntity: OperationKind<'mention_entity'> = {
  name: 'mention_entity',
  perform: async ({ tables, reader: { agentId } }, { entity }) => {
    const found = await findEntity(tables, agentId, entity)
    if (!found) return rejected('entity_not_found')
    return { status: 'applied', id: found.id, subjectId: found.id, mentioned: [found.id] }
  },
}

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
