import { supersedeVersions, timedValue, valueFault, writeVersion } from '../model/claim-version.js'
import { findVersion, type OperationKind, rejected } from '../model/operation.js'
import { relationOf } from '../model/slot-rules.js'

/**
 * Another value takes the place of one that is current or contested. One that negates it stays blocked until a person
 * decides (rules.md 1.5), and so does one that another current value contradicts.
 */
export const supersedeClaim: OperationKind<'supersede_claim'> = {
  name: 'supersede_claim',
  perform: async (work, payload) => {
    const { tables, isDecided, now } = work
    const found = await findVersion(work, payload.version)
    if ('fault' in found) return rejected(found.fault)
    const { version, claim } = found
    if (!['current', 'contested'].includes(version.status)) return rejected('version_not_current')
    const fault = await valueFault(work, payload)
    if (fault) return fault
    if (await tables.claims.restsOn(payload.premises ?? [], version.id)) return rejected('premise_cycle')
    const next = timedValue(payload)
    const relation = relationOf(version, next)
    if (relation === 'same') return { status: 'deduplicated', id: version.id, subjectId: version.id }
    const others = (await tables.claims.standing(claim.id, ['current'])).filter(
      ({ id, project }) => id !== version.id && project === version.project,
    )
    const against = others.filter(other => !['apart', 'same', 'narrows'].includes(relationOf(other, next)))
    const why = relation === 'contradiction' ? relation : against.length > 0 ? 'different_value' : undefined
    if (why && !isDecided) return { status: 'blocked', why, contradictionRisk: true }
    const { project } = version
    const written = { status: 'current', premises: payload.premises, project } as const
    const id = await writeVersion(work, claim, next, written)
    const replaced = [version, ...others.filter(other => relationOf(other, next) !== 'apart')]
    await supersedeVersions(work, replaced, { id, valid_from: next.valid_from })
    await tables.entities.update(claim.entity_id, { updated_at: now })
    return { status: 'applied', id, subjectId: id, mentioned: [claim.entity_id] }
  },
}

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
