import { nameKey } from '../../../ground/entities/name-key.js'
import { isPeriod } from '../model/claim-version.js'
import { ensureEntity, findOrPlanEntity, isSameEntity } from '../model/entity.js'
import { type OperationKind, rejectedOutcome } from '../model/operation.js'

/** Links two entities. An existing link gains evidence. */
export const link: OperationKind<'link'> = {
  name: 'link',
  perform: async (work, payload) => {
    const { deps, tables, confidence, now } = work
    const { agentId } = work.reader
    const sought = {
      from: await findOrPlanEntity(work, payload.from, payload.fromType),
      to: await findOrPlanEntity(work, payload.to, payload.toType),
    }
    if (!sought.from || !sought.to) return rejectedOutcome('entity_not_found')
    if (isSameEntity(sought.from, sought.to)) return rejectedOutcome('link_to_itself')
    const relation_key = nameKey(payload.relation)
    if (relation_key === '') return rejectedOutcome('name_without_words')
    const period = { valid_from: payload.validFrom ?? null, valid_until: payload.validUntil ?? null }
    if (!isPeriod(period)) return rejectedOutcome('validity_ends_before_it_begins')
    const from = await ensureEntity(work, sought.from)
    const to = await ensureEntity(work, sought.to)
    const triple = { from_id: from.row.id, relation_key, to_id: to.row.id }
    const mentioned = [from.row.id, to.row.id]
    const known = await tables.entityLinks.current(triple)
    if (known) return { status: 'deduplicated', id: known.id, subjectId: known.id, mentioned }
    const id = deps.newId()
    await tables.entityLinks.insert({
      ...triple,
      ...period,
      id,
      agent_id: agentId,
      relation: payload.relation,
      status: 'current',
      confidence,
      recorded_at: now,
      expired_at: null,
    })
    return { status: 'applied', id, subjectId: id, mentioned, made: [...from.made, ...to.made] }
  },
}

/** Removes a link. */
export const unlink: OperationKind<'unlink'> = {
  name: 'unlink',
  perform: async ({ tables, reader: { agentId, boundary }, now }, payload) => {
    const found = await tables.entityLinks.told(agentId, payload.link, boundary)
    if (!found) return rejectedOutcome('link_not_found')
    if (found.status !== 'current') return { status: 'deduplicated', id: found.id }
    await tables.entityLinks.update(found.id, { status: 'unlinked', expired_at: now })
    return { status: 'applied', id: found.id }
  },
}
