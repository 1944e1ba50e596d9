import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
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
 * Marks versions as superseded; their period ends where the new version's begins. Until a planned version
 * begins, the one before it stays current (knowledge.md#contradictions).
 */
export async function supersedeVersions(
  { tables, now }: Pick<Work, 'tables' | 'now'>,
  versions: readonly ClaimVersionRow[],
  by: { id: string; valid_from: string | null },
): Promise<void> {
  for (const { id, valid_from, valid_until } of versions) {
    const isCut =
      by.valid_from !== null &&
      (valid_from === null || valid_from < by.valid_from) &&
      (valid_until === null || valid_until > by.valid_from)
    if (isCut && by.valid_from !== null && by.valid_from > now)
      await tables.claims.updateVersion(id, { valid_until: by.valid_from })
    else
      await tables.claims.updateVersion(id, {
        status: 'superseded',
        expired_at: now,
        replaced_by: by.id,
        ...(isCut && { valid_until: by.valid_from }),
      })
  }
}
