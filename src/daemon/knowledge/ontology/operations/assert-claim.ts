import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { supersedeVersions, timedValue, valueFault, writeVersion } from '../model/claim-version.js'
import { obtainEntity, seekEntity } from '../model/make-entity.js'
import {
  type Made,
  noteContradiction,
  type OperationKind,
  type Outcome,
  rejected,
  type Work,
} from '../model/operation.js'
import { relationOf } from '../model/slot-rules.js'

type Asserted = Payload<'assert_claim'>

/**
 * A value of a slot. What the slot says already gains evidence; another value at the same time is written down as
 * contested beside the current one, until a person decides. Values of different projects stand beside each other.
 */
export const assertClaim: OperationKind<'assert_claim'> = {
  name: 'assert_claim',
  perform: async (work, payload) => {
    const { tables, now } = work
    const sought = await seekEntity(work, payload.entity, payload.entityType)
    if (!sought) return rejected('entity_not_found')
    const { aspect, group, claim } = payload
    if ([aspect, group, claim].some(part => nameKey(part) === '')) return rejected('name_without_words')
    const fault = await valueFault(work, payload)
    if (fault) return fault
    const { row: entity, made } = await obtainEntity(work, sought)
    const slot = await slotOf(work, entity.id, payload)
    const outcome = await assertIn(work, slot.claim, payload)
    if (outcome.status === 'applied') await tables.entities.update(entity.id, { updated_at: now })
    const mentioned = [entity.id]
    return 'subjectId' in outcome ? { ...outcome, mentioned, made: [...made, ...slot.made] } : outcome
  },
}

async function slotOf(
  { deps, tables, reader: { agentId }, now }: Work,
  entityId: string,
  { aspect, group, claim, kind }: Asserted,
): Promise<{ claim: ClaimRow; made: readonly Made[] }> {
  const keys = {
    entity_id: entityId,
    aspect_key: nameKey(aspect),
    group_key: nameKey(group),
    claim_key: nameKey(claim),
  }
  const known = await tables.claims.bySlot(keys)
  if (known) return { claim: known, made: [] }
  const hasAspect = await tables.claims.hasAspect(entityId, keys.aspect_key)
  const row = {
    ...keys,
    id: deps.newId(),
    agent_id: agentId,
    aspect,
    group_name: group,
    claim,
    kind,
    created_at: now,
  }
  await tables.claims.insertClaim(row)
  return { claim: row, made: hasAspect ? ['claim'] : ['aspect', 'claim'] }
}

async function assertIn(work: Work, claim: ClaimRow, payload: Asserted): Promise<Outcome> {
  const { tables, evidence, isDecided } = work
  const next = timedValue(payload)
  const standing = await tables.claims.standing(claim.id, ['current', 'contested'])
  const here = standing.filter(({ project }) => project === evidence.project)
  const current = here.filter(({ status }) => status === 'current')
  const related = current.map(version => ({ version, relation: relationOf(version, next) }))
  const same = related.find(({ relation }) => relation === 'same')?.version
  if (same) return affirm(work, same, payload)
  const contested = here.find(
    version => version.status === 'contested' && relationOf(version, next) === 'same',
  )
  const against = related.filter(({ relation }) => relation !== 'apart' && relation !== 'narrows')
  const [worst] = against
  if (worst && !isDecided)
    return contested
      ? affirm(work, contested, payload)
      : contest(work, claim, { payload, why: worst.relation })
  const replaced = related.filter(({ relation }) => relation !== 'apart').map(({ version }) => version)
  const id = contested
    ? await promote(work, contested)
    : await writeVersion(work, claim, next, { status: 'current', premises: payload.premises })
  await supersedeVersions(work, replaced, { id, valid_from: next.valid_from })
  return { status: 'applied', id, subjectId: id }
}

/** What is known gains evidence and premises, and is as sure as the surest who said it. */
async function affirm(work: Work, version: ClaimVersionRow, { premises }: Asserted): Promise<Outcome> {
  const { claims } = work.tables
  if (premises && premises.length > 0) {
    if (await claims.restsOn(premises, version.id)) return rejected('premise_cycle')
    await claims.addPremises(version.id, premises)
  }
  if (work.confidence > version.confidence)
    await claims.updateVersion(version.id, { confidence: work.confidence })
  return { status: 'deduplicated', id: version.id, subjectId: version.id }
}

async function contest(
  work: Work,
  claim: ClaimRow,
  { payload, why }: { payload: Asserted; why: string },
): Promise<Outcome> {
  const next = timedValue(payload)
  const id = await writeVersion(work, claim, next, { status: 'contested', premises: payload.premises })
  await noteContradiction(work, claim.id)
  return { status: 'blocked', why, contradictionRisk: true, versionId: id }
}

async function promote({ tables }: Work, { id }: ClaimVersionRow): Promise<string> {
  await tables.claims.updateVersion(id, { status: 'current' })
  return id
}
