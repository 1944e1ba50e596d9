import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { boundaryOfAgent } from '../../../ground/entities/settle-values.js'
import {
  type Relation,
  relationOf,
  supersedeVersions,
  timedValue,
  valueFault,
  writeVersion,
} from '../model/claim-version.js'
import { ensureEntity, findOrPlanEntity } from '../model/entity.js'
import {
  type CreatedKind,
  findVersion,
  noteContradiction,
  type OperationKind,
  type Outcome,
  rejectedOutcome,
  type Work,
} from '../model/operation.js'

type ClaimPayload = Payload<'assert_claim'>

/**
 * Sets the value of a slot. An equal value gains evidence; a different value for the same period is stored as
 * contested until a person decides. Values of different projects coexist.
 */
export const assertClaim: OperationKind<'assert_claim'> = {
  name: 'assert_claim',
  perform: async (work, payload) => {
    const { tables, now } = work
    const sought = await findOrPlanEntity(work, payload.entity, payload.entityType)
    if (!sought) return rejectedOutcome('entity_not_found')
    const { aspect, group, claim } = payload
    if ([aspect, group, claim].some(part => nameKey(part) === ''))
      return rejectedOutcome('name_without_words')
    const fault = await valueFault(work, payload)
    if (fault) return fault
    const { row: entity, made } = await ensureEntity(work, sought)
    const slot = await slotOf(work, entity.id, payload)
    const outcome = await assertInSlot(work, slot.claim, payload)
    if (outcome.status === 'applied') await tables.entities.update(entity.id, { updated_at: now })
    const mentioned = [entity.id]
    return 'subjectId' in outcome ? { ...outcome, mentioned, made: [...made, ...slot.made] } : outcome
  },
}

/**
 * Ends a fact that a source does not say any more (knowledge.md#dreaming). If another source says the same,
 * the fact only loses this one.
 */
export const endFact: OperationKind<'end_fact'> = {
  name: 'end_fact',
  isHygiene: true,
  perform: async (work, { fact, sourceKind: kind, sourceId: id, misread }) => {
    const { evidenceSpans, entityLinks } = work.tables
    if (await evidenceSpans.hasOthers(fact, { kind, id })) await evidenceSpans.detach(fact, { kind, id })
    else {
      await endVersion(work, fact, misread)
      await entityLinks.endCurrent(work.reader.agentId, fact, work.now)
    }
    return { status: 'applied', id: fact, ...(kind === 'memory' && { memoryId: id }) }
  },
}

async function slotOf(
  { deps, tables, reader: { agentId }, now }: Work,
  entityId: string,
  { aspect, group, claim, kind }: ClaimPayload,
): Promise<{ claim: ClaimRow; made: readonly CreatedKind[] }> {
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

async function assertInSlot(work: Work, claim: ClaimRow, payload: ClaimPayload): Promise<Outcome> {
  const { tables, evidence, isDecided } = work
  const next = timedValue(payload)
  const standing = await tables.claims.standing(claim.id, ['current', 'contested'])
  const here = standing.filter(({ project }) => project === evidence.project)
  const current = here.filter(({ status }) => status === 'current')
  const related = current.map(version => ({ version, relation: relationOf(version, next) }))
  const same = related.find(({ relation }) => relation === 'same')?.version
  if (same) return addEvidence(work, same, payload)
  const contested = here.find(
    version => version.status === 'contested' && relationOf(version, next) === 'same',
  )
  const [worst] = await contradicting(work, related)
  if (worst && !isDecided)
    return contested
      ? addEvidence(work, contested, payload)
      : contest(work, claim, { payload, why: worst.relation })
  const overlapping = related.filter(({ relation }) => relation !== 'apart')
  const replaced = work.keepsCurrent ? [] : overlapping.map(({ version }) => version)
  const id = contested
    ? await promote(work, contested)
    : await writeVersion(work, claim, next, { status: 'current', premises: payload.premises })
  await supersedeVersions(work, replaced, { id, valid_from: next.valid_from })
  return { status: 'applied', id, subjectId: id }
}

interface RelatedVersion {
  version: ClaimVersionRow
  relation: Relation
}

/** Values whose sources are gone contradict nothing: a new one simply replaces them. */
async function contradicting(
  { tables, reader: { agentId } }: Work,
  related: readonly RelatedVersion[],
): Promise<RelatedVersion[]> {
  const against = related.filter(({ relation }) => relation !== 'apart' && relation !== 'narrows')
  if (against.length === 0) return []
  const ids = against.map(({ version }) => version.id)
  const believed = await tables.replacedValues.believed(ids, boundaryOfAgent(agentId))
  return against.filter(({ version }) => believed.has(version.id))
}

/** Adds evidence and premises to an existing value; its confidence is the highest of all. */
async function addEvidence(
  work: Work,
  version: ClaimVersionRow,
  { premises }: ClaimPayload,
): Promise<Outcome> {
  const { claims } = work.tables
  if (premises && premises.length > 0) {
    if (await claims.restsOn(premises, version.id)) return rejectedOutcome('premise_cycle')
    await claims.addPremises(version.id, premises)
  }
  if (work.confidence > version.confidence)
    await claims.updateVersion(version.id, { confidence: work.confidence })
  return { status: 'deduplicated', id: version.id, subjectId: version.id }
}

async function contest(
  work: Work,
  claim: ClaimRow,
  { payload, why }: { payload: ClaimPayload; why: string },
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

/**
 * Replaces a current or contested value. A negation, or a value that contradicts another current one, is
 * blocked until a person decides (rules.md 1.5).
 */
export const supersedeClaim: OperationKind<'supersede_claim'> = {
  name: 'supersede_claim',
  perform: async (work, payload) => {
    const { tables, isDecided, now } = work
    const found = await findVersion(work, payload.version)
    if ('fault' in found) return rejectedOutcome(found.fault)
    const { version, claim } = found
    if (!['current', 'contested'].includes(version.status)) return rejectedOutcome('version_not_current')
    const fault = await valueFault(work, payload)
    if (fault) return fault
    if (await tables.claims.restsOn(payload.premises ?? [], version.id))
      return rejectedOutcome('premise_cycle')
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

/** Retracts a value that is wrong or not true any more; it stays readable as history. */
export const retractClaim: OperationKind<'retract_claim'> = {
  name: 'retract_claim',
  perform: async (work, payload) => {
    const { tables, now } = work
    const found = await findVersion(work, payload.version)
    if ('fault' in found) return rejectedOutcome(found.fault)
    const { id, status } = found.version
    if (status === 'retracted') return { status: 'deduplicated', id }
    if (status === 'superseded') return rejectedOutcome('version_not_current')
    await tables.claims.updateVersion(id, { status: 'retracted', expired_at: now })
    await tables.entities.update(found.claim.entity_id, { updated_at: now })
    return { status: 'applied', id }
  },
}

/** Retracts a version; the value that a misread one replaced is current again. */
async function endVersion(
  { tables: { claims, entities }, reader: { agentId }, now }: Work,
  id: string,
  misread: boolean,
): Promise<void> {
  const found = await claims.version(agentId, id)
  if (found?.version.status !== 'current') return
  await claims.updateVersion(id, { status: 'retracted', expired_at: now })
  const replaced = misread ? await claims.standing(found.claim.id, ['superseded']) : []
  const back = { status: 'current', expired_at: null, replaced_by: null, valid_until: null }
  for (const before of replaced) if (before.replaced_by === id) await claims.updateVersion(before.id, back)
  await entities.update(found.claim.entity_id, { updated_at: now })
}
