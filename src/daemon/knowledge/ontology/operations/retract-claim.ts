import { findVersion } from '../model/find-version.js'
import { type OperationKind, rejected } from '../model/operation.js'

/** A value that was never so, or is so no more: it stays readable as what it was. */
export const retractClaim: OperationKind<'retract_claim'> = {
  name: 'retract_claim',
  perform: async (work, payload) => {
    const { tables, now } = work
    const found = await findVersion(work, payload.version)
    if ('fault' in found) return rejected(found.fault)
    const { id, status } = found.version
    if (status === 'retracted') return { status: 'deduplicated', id }
    if (status === 'superseded') return rejected('version_not_current')
    await tables.claims.updateVersion(id, { status: 'retracted', expired_at: now })
    await tables.entities.update(found.claim.entity_id, { updated_at: now })
    return { status: 'applied', id }
  },
}
