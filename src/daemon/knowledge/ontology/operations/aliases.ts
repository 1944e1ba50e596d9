import { nameKey } from '../../../ground/entities/name-key.js'
import { findEntity } from '../model/find-entity.js'
import { obtainEntity, seekEntity } from '../model/make-entity.js'
import { type OperationKind, rejected } from '../model/operation.js'

/** Another name by which an entity is found. A name leads to one entity: who has it keeps it. */
export const addAlias: OperationKind<'add_alias'> = {
  name: 'add_alias',
  perform: async (work, { entity, entityType, alias }) => {
    const { tables, reader, now } = work
    const sought = await seekEntity(work, entity, entityType)
    if (!sought) return rejected('entity_not_found')
    const name_key = nameKey(alias)
    if (name_key === '') return rejected('name_without_words')
    const owner = await tables.entities.byName(reader.agentId, name_key)
    if (owner && owner.id !== sought.row?.id) return rejected('name_taken')
    const { row, made } = await obtainEntity(work, sought)
    const done = { id: row.id, subjectId: row.id, mentioned: [row.id] }
    if (owner) return { status: 'deduplicated', ...done }
    await tables.entities.putName({ agent_id: reader.agentId, name_key, entity_id: row.id, name: alias })
    await tables.entities.update(row.id, { updated_at: now })
    return { status: 'applied', ...done, made }
  },
}

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
