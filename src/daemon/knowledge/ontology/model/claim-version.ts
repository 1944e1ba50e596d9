import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { endOfReplaced } from '../../../ground/entities/settled-versions.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import { type Outcome, rejectedOutcome, type Work } from './operation.js'
import { isPeriod, type TimedValue } from './slot-rules.js'

type ValuePayload = Pick<Payload<'supersede_claim'>, 'value' | 'validFrom' | 'validUntil' | 'premises'>

/**
 * Normalises the value of an operation. Two texts that would be the same memory are the same value (rules.md
 * 1.1).
 */
export function timedValue({ value, validFrom, validUntil }: ValuePayload): TimedValue {
  const stored = storageContent(value)
  return {
    value: stored,
    value_hash: contentHash(stored),
    valid_from: validFrom ?? null,
    valid_until: validUntil ?? null,
  }
}

/** Returns why a value cannot be stored, whatever the slot contains. */
export async function valueFault(work: Work, payload: ValuePayload): Promise<Outcome | undefined> {
  if (!isPeriod(timedValue(payload))) return rejectedOutcome('validity_ends_before_it_begins')
  return premiseFault(work, payload.premises ?? [])
}

/** Premises must be current, of the same project and session, and visible to the author of the conclusion. */
async function premiseFault(
  { tables, reader: { agentId, boundary }, evidence, place }: Work,
  ids: readonly string[],
): Promise<Outcome | undefined> {
  if (ids.length === 0) return undefined
  const told = await tables.claims.toldVersions(ids, boundary)
  for (const id of ids) {
    const found = told.has(id) ? await tables.claims.version(agentId, id) : undefined
    if (found?.version.status !== 'current') return rejectedOutcome('premise_not_found')
    const { project, session_key: session } = found.version
    if (project !== null && project !== evidence.project) return rejectedOutcome('premise_of_other_project')
    if (session !== null && place.sessionKey !== undefined && session !== place.sessionKey)
      return rejectedOutcome('premise_of_other_session')
  }
  return undefined
}

/**
 * Writes a version of a claim with its premises.
 * @returns its id
 */
export async function writeVersion(
  { deps, tables, evidence, confidence, now }: Work,
  { id: claim_id, entity_id }: ClaimRow,
  value: TimedValue,
  {
    status,
    premises,
    project,
  }: { status: 'current' | 'contested'; premises: ValuePayload['premises']; project?: string | null },
): Promise<string> {
  const id = deps.newId()
  await tables.claims.insertVersion({
    ...value,
    id,
    claim_id,
    entity_id,
    confidence,
    status,
    recorded_at: now,
    expired_at: null,
    replaced_by: null,
    project: project === undefined ? evidence.project : project,
    session_key: evidence.sessionKey,
  })
  if (premises && premises.length > 0) await tables.claims.addPremises(id, premises)
  return id
}

/**
 * Marks versions as superseded (knowledge.md#contradictions). A value that holds because the one that
 * replaced it lost its sources ends with that one, so that neither comes back beside the new one.
 */
export async function supersedeVersions(
  { tables: { claims }, now }: Pick<Work, 'tables' | 'now'>,
  versions: readonly ClaimVersionRow[],
  by: { id: string; valid_from: string | null },
): Promise<void> {
  for (const version of versions) {
    const { replaced_by, ...end } = endOfReplaced(version, by, now)
    const above = end.status === 'superseded' ? await unsupportedAbove(claims, version) : []
    const isAlone = above.length === 0
    await claims.updateVersion(version.id, isAlone ? { ...end, replaced_by } : end)
    for (const [at, { id }] of above.entries())
      await claims.updateVersion(id, {
        status: 'superseded',
        ...(at === above.length - 1 && { replaced_by: by.id }),
      })
  }
}

/** Returns the unsupported versions in whose place a version holds, from the nearest on. */
async function unsupportedAbove(
  claims: Work['tables']['claims'],
  { claim_id, replaced_by }: ClaimVersionRow,
): Promise<ClaimVersionRow[]> {
  if (replaced_by === null) return []
  const unsupported = await claims.standing(claim_id, ['unsupported'])
  const above: ClaimVersionRow[] = []
  for (let next: string | null = replaced_by; next !== null; ) {
    const found = unsupported.find(({ id }) => id === next)
    if (!found || above.includes(found)) break
    above.push(found)
    next = found.replaced_by
  }
  return above
}
