import type { Payload } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimRow, ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { endOfReplaced } from '../../../ground/entities/settle-values.js'
import { assessContradiction } from '../../../memory/edit/contradiction.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import { type Outcome, rejectedOutcome, type Work } from './operation.js'

type ValuePayload = Pick<Payload<'supersede_claim'>, 'value' | 'validFrom' | 'validUntil' | 'premises'>

/** A value with its period: from inclusive, until exclusive, ISO 8601; null is open. */
export interface TimedValue {
  value: string
  value_hash: string
  valid_from: string | null
  valid_until: string | null
}

/**
 * Relation of a new value to an existing one of the slot. `apart`: their periods do not overlap. `same`:
 * equal. `narrows`: equal with a tighter period. The others contradict: `opposed_validity` gives the same
 * value another beginning or end, `contradiction` negates it by the rule for proposals (rules.md 1.5),
 * `different_value` is any other value. A slot has one value at a time, and values of different slots are
 * never compared.
 */
export type Relation = 'apart' | 'same' | 'narrows' | 'opposed_validity' | 'contradiction' | 'different_value'

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

/** True if the period is open or begins before it ends. */
export function isPeriod({
  valid_from,
  valid_until,
}: Pick<TimedValue, 'valid_from' | 'valid_until'>): boolean {
  return valid_from === null || valid_until === null || valid_from < valid_until
}

export function relationOf(held: TimedValue, next: TimedValue): Relation {
  if (!overlaps(held, next)) return 'apart'
  if (held.value_hash !== next.value_hash)
    return assessContradiction(held.value, next.value).contradictionRisk ? 'contradiction' : 'different_value'
  const bounds = ['valid_from', 'valid_until'] as const
  if (bounds.every(bound => next[bound] === null || next[bound] === held[bound])) return 'same'
  return bounds.some(bound => next[bound] !== null && held[bound] !== null && next[bound] !== held[bound])
    ? 'opposed_validity'
    : 'narrows'
}

function overlaps(one: TimedValue, other: TimedValue): boolean {
  return startsBefore(one.valid_from, other.valid_until) && startsBefore(other.valid_from, one.valid_until)
}

function startsBefore(from: string | null, until: string | null): boolean {
  return from === null || until === null || from < until
}
