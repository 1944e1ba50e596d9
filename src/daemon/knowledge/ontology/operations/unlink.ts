import { type OperationKind, rejected } from '../model/operation.js'

/** A relation that is there no more. */
export const unlink: OperationKind<'unlink'> = {
  name: 'unlink',
  perform: async ({ tables, reader: { agentId, boundary }, now }, payload) => {
    const found = await tables.entityLinks.told(agentId, payload.link, boundary)
    if (!found) return rejected('link_not_found')
    if (found.status !== 'current') return { status: 'deduplicated', id: found.id }
    await tables.entityLinks.update(found.id, { status: 'unlinked', expired_at: now })
    return { status: 'applied', id: found.id }
  },
}
