import { nameKey } from '../../../ground/entities/name-key.js'
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
