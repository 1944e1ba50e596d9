import type { ClaimVersionRow } from '../../../store/tables/knowledge/claims.js'
import type { AffectedSlot, NamedSources } from '../../../store/tables/knowledge/replaced-values.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../ground.js'

type Deps = Pick<Ground, 'clock' | 'newId'>

/** Names and reasons of the records, by what a version becomes. */
const records = {
  restored: ['restore_claim', 'the value that replaced it has no source any more'],
  revived: ['restore_claim', 'it has a source again'],
  replaced: ['withdraw_claim', 'the value that replaced it has a source again'],
  lost: ['withdraw_claim', 'it has no source any more'],
} as const

/** Limit of quotes read to see whether a file still contains them. */
const maxSpans = 500

type VersionChange = Partial<Pick<ClaimVersionRow, 'status' | 'expired_at' | 'replaced_by' | 'valid_until'>>

/** A version with what changes about it. */
interface SettledVersion {
  version: ClaimVersionRow
  change: VersionChange
  /** True if it holds again, false if it does not hold any more. */
  holds: boolean
}

/**
 * Makes earlier values current again when the sources of those that replaced them were lost, and replaced
 * again when these sources are back (knowledge.md#forgetting). Call it in the transaction that changed the
 * sources.
 */
export async function settleValues(deps: Deps, tables: Tables, sources: NamedSources): Promise<void> {
  if (sources.ids.length === 0) return
  await settleSlots(deps, tables, await tables.replacedValues.slotsOf(sources))
}

/** Like `settleValues`, for slots that are known. */
export async function settleSlots(deps: Deps, tables: Tables, slots: readonly AffectedSlot[]): Promise<void> {
  if (slots.length === 0) return
  const now = deps.clock().toISOString()
  const all = await tables.replacedValues.versionsOf(slots.map(({ claim_id }) => claim_id))
  const bySlot = new Map<string, ClaimVersionRow[]>(slots.map(({ claim_id }) => [claim_id, []]))
  for (const version of all) bySlot.get(version.claim_id)?.push(version)
  const believed = await believedOf(tables, slots, bySlot)
  for (const slot of slots) {
    const versions = bySlot.get(slot.claim_id) ?? []
    const first = settledVersions(versions, believed, now)
    const unsaid = await withoutQuote(tables, first)
    for (const id of unsaid) believed.delete(id)
    const settled = unsaid.length > 0 ? settledVersions(versions, believed, now) : first
    for (const one of settled) await applySettled(deps, tables, slot, one)
    const [changed] = settled
    if (changed) await tables.entities.update(changed.version.entity_id, { updated_at: now })
  }
}

/** Limits reading to the agent's own texts. */
export function boundaryOfAgent(agentId: string): ReadBoundary {
  return { agents: [agentId], globalOf: [] }
}

async function believedOf(
  { replacedValues }: Tables,
  slots: readonly AffectedSlot[],
  bySlot: ReadonlyMap<string, readonly ClaimVersionRow[]>,
): Promise<Set<string>> {
  const believed = new Set<string>()
  for (const agentId of new Set(slots.map(({ agent_id }) => agent_id))) {
    const own = slots.filter(({ agent_id }) => agent_id === agentId)
    const ids = own.flatMap(({ claim_id }) => (bySlot.get(claim_id) ?? []).map(({ id }) => id))
    for (const id of await replacedValues.believed(ids, boundaryOfAgent(agentId))) believed.add(id)
  }
  return believed
}

/** Returns the restored versions that rest on files alone which do not contain their quotes any more. */
async function withoutQuote(
  { evidenceSpans, sourceArtifacts }: Tables,
  settled: readonly SettledVersion[],
): Promise<string[]> {
  const restored = settled.flatMap(({ version, holds }) => (holds ? [version.id] : []))
  if (restored.length === 0) return []
  const spans = await evidenceSpans.ofSubjects(restored, maxSpans)
  const unsaid: string[] = []
  for (const id of restored) {
    const own = spans.filter(({ subject_id }) => subject_id === id)
    if (own.some(({ source_kind }) => source_kind !== 'artifact')) continue
    const texts = await Promise.all(own.map(({ source_id }) => sourceArtifacts.textOf(source_id)))
    if (!own.some(({ quote }, at) => texts[at]?.includes(quote))) unsaid.push(id)
  }
  return unsaid
}

async function applySettled(
  deps: Deps,
  tables: Tables,
  slot: AffectedSlot,
  settled: SettledVersion,
): Promise<void> {
  const { version, change } = settled
  const isOpen = change.valid_until === null
  const end = isOpen ? { valid_until: await saidEnd(tables, version.id) } : {}
  await tables.claims.updateVersion(version.id, { ...change, ...end })
  await writeAudit(deps, tables, slot, settled)
}

/** The end that the text gave a value, before the next value cut it. */
async function saidEnd({ evidenceSpans, ontologyRecords }: Tables, id: string): Promise<string | null> {
  const spans = await evidenceSpans.ofSubjects([id], maxSpans)
  const ids = [...new Set(spans.map(({ operation_id }) => operation_id))]
  const operations = await ontologyRecords.operations(ids)
  const own = operations.find(({ result_id }) => result_id === id)
  const { validUntil = null } = own ? (JSON.parse(own.payload) as { validUntil?: string | null }) : {}
  return validUntil
}

/** Records a change as one of the source whose loss or return caused it. */
async function writeAudit(
  deps: Deps,
  { ontologyRecords, evidenceSpans }: Tables,
  { agent_id, source_kind, source_id, quote }: AffectedSlot,
  { version, change, holds }: SettledVersion,
): Promise<void> {
  const id = deps.newId()
  const gained = version.status === 'unsupported' ? records.revived : records.restored
  const lost = change.status === 'unsupported' ? records.lost : records.replaced
  const [operation, reason] = holds ? gained : lost
  await ontologyRecords.insertOperation({
    id,
    agent_id,
    project: version.project,
    operation,
    payload: JSON.stringify({ version: version.id, sourceKind: source_kind, sourceId: source_id }),
    reason,
    confidence: version.confidence,
    mode: 'apply',
    status: 'applied',
    result_id: version.id,
    blocked_reason: null,
    proposal_id: null,
    changed_by: 'evidence',
    actor_type: 'pipeline',
    session_key: null,
    request_id: id,
    created_at: deps.clock().toISOString(),
  })
  await evidenceSpans.insert({
    id: deps.newId(),
    agent_id,
    operation_id: id,
    subject_id: null,
    source_kind,
    source_id,
    quote,
    span_start: null,
    span_end: null,
    source_hash: null,
  })
}

/**
 * Returns how a version ends when another replaces it: its period ends where the new one's begins. Until a
 * planned version begins, the one before it stays current (knowledge.md#contradictions).
 * @param now ISO 8601
 */
export function endOfReplaced(
  { valid_from, valid_until }: ClaimVersionRow,
  by: Pick<ClaimVersionRow, 'id' | 'valid_from'>,
  now: string,
): VersionChange {
  const isCut =
    by.valid_from !== null &&
    (valid_from === null || valid_from < by.valid_from) &&
    (valid_until === null || valid_until > by.valid_from)
  const cut = isCut ? { valid_until: by.valid_from } : {}
  if (isCut && by.valid_from !== null && by.valid_from > now)
    return { status: 'current', expired_at: null, replaced_by: by.id, ...cut }
  return { status: 'superseded', expired_at: now, replaced_by: by.id, ...cut }
}

/**
 * Decides which values of a slot hold after the sources of some were lost or came back
 * (knowledge.md#forgetting). Each version that replaced others is the root of a tree: the uppermost versions
 * with a source hold, those above them are `unsupported`, those below `superseded`. A tree without any source
 * stays as it is, hidden.
 * @param versions all of the slot that hold, were replaced or are unsupported
 * @param believed ids of those with a source
 */
export function settledVersions(
  versions: readonly ClaimVersionRow[],
  believed: ReadonlySet<string>,
  now: string,
): SettledVersion[] {
  const known = new Map(versions.map(version => [version.id, version]))
  const under = new Map<string, ClaimVersionRow[]>()
  for (const version of versions) {
    if (version.replaced_by === null) continue
    const siblings = under.get(version.replaced_by)
    if (siblings) siblings.push(version)
    else under.set(version.replaced_by, [version])
  }
  const below = (version: ClaimVersionRow): readonly ClaimVersionRow[] => under.get(version.id) ?? []
  const holding = (version: ClaimVersionRow): ClaimVersionRow[] =>
    believed.has(version.id) ? [version] : below(version).flatMap(holding)
  const settle = (version: ClaimVersionRow, by: ClaimVersionRow | undefined): SettledVersion[] => {
    const isBelow = by !== undefined
    const change = isBelow ? endUnder(version, by, now) : changeOf(version, known, believed, now)
    const next = isBelow || believed.has(version.id) ? version : undefined
    return [
      { version, change, holds: (change.status ?? version.status) === 'current' },
      ...below(version).flatMap(one => settle(one, next)),
    ]
  }
  return versions
    .filter(version => isTop(version, known))
    .flatMap(top => {
      if (holding(top).length === 0) return []
      return settle(top, rivalOf(top, versions, believed))
    })
    .filter(isChanged)
}

/** True for a version that holds, or would if it had a source. */
function isTop(
  { status, replaced_by }: ClaimVersionRow,
  known: ReadonlyMap<string, ClaimVersionRow>,
): boolean {
  if (status === 'superseded') return false
  const by = replaced_by === null ? undefined : known.get(replaced_by)
  return by === undefined || by.status === 'superseded'
}

/** A value that held until a planned one began needs no further end. */
function endUnder(version: ClaimVersionRow, by: ClaimVersionRow, now: string): VersionChange {
  const hasEnded = version.valid_until !== null && version.valid_until === by.valid_from
  return version.status === 'current' && hasEnded ? { status: 'current' } : endOfReplaced(version, by, now)
}

/** A value that was given while the source of another was lost holds when that source comes back. */
function rivalOf(
  top: ClaimVersionRow,
  versions: readonly ClaimVersionRow[],
  believed: ReadonlySet<string>,
): ClaimVersionRow | undefined {
  if (top.status !== 'unsupported' || !believed.has(top.id)) return undefined
  return versions.find(
    ({ id, status, project, replaced_by }) =>
      id !== top.id && status === 'current' && project === top.project && replaced_by === null,
  )
}

/** The change of a version that nothing holds in place of. */
function changeOf(
  version: ClaimVersionRow,
  known: ReadonlyMap<string, ClaimVersionRow>,
  believed: ReadonlySet<string>,
  now: string,
): VersionChange {
  if (!believed.has(version.id)) return { status: 'unsupported', expired_at: version.expired_at ?? now }
  const by = version.replaced_by === null ? undefined : known.get(version.replaced_by)
  const isCut = by !== undefined && by.valid_from !== null && version.valid_until === by.valid_from
  return { status: 'current', expired_at: null, ...(isCut && { valid_until: null }) }
}

function isChanged({ version, change }: SettledVersion): boolean {
  const hasOtherEnd = change.valid_until !== undefined && change.valid_until !== version.valid_until
  return change.status !== version.status || hasOtherEnd
}
