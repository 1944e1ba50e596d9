import type { Operation } from '../../../../contract/knowledge/ontology-operations.js'
import type { ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { boundaryOfAgent } from '../../../ground/entities/settle-values.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { relationOf, timedValue } from '../../ontology/model/claim-version.js'
import { findEntity } from '../../ontology/model/entity.js'
import { keptCurrent } from '../../ontology/proposals.js'

type Deps = Pick<Daemon, 'store'>

const dayMs = 86_400_000

/** Statements exist side by side; only properties of a thing change with time. */
const standing = new Set([
  'rules',
  'preferences',
  'decisions',
  'problems',
  'lessons',
  'procedures',
  'workarounds',
])

/** Value of `saidAt` for texts that say what holds now, such as manifests. */
export const always = 'always'

/**
 * Turns the value of a later day into the next one of its slot: `port 6230` in March and `port 7421` in June
 * are a history. Different values of one day contradict each other (knowledge.md#contradictions).
 * @param saidAt time of the text, ISO 8601, or `always`
 */
export async function asSuccessor(
  { store }: Deps,
  agentId: string,
  operation: Operation,
  { saidAt, project }: { saidAt: string; project: string | null },
): Promise<Operation> {
  if (operation.operation !== 'assert_claim' || standing.has(operation.payload.aspect)) return operation
  const others = await otherValues({ store }, agentId, operation, project)
  const ids = others.map(({ id }) => id)
  const believed =
    ids.length > 0 ? await store.tables.replacedValues.believed(ids, boundaryOfAgent(agentId)) : undefined
  // A value whose sources are gone has no successor.
  const [version, ...more] = others.filter(({ id }) => believed?.has(id))
  if (!version || more.length > 0) return operation
  const { value, validUntil } = operation.payload
  if (saidAt === always)
    return (await store.tables.evidenceSpans.confirmed([version.id], keptCurrent)).size > 0
      ? operation
      : { ...operation, operation: 'supersede_claim', payload: { version: version.id, value } }
  const known = version.valid_from ?? (await store.tables.evidenceSpans.lastSaid(version.id))
  const from = operation.payload.validFrom ?? startOfDay(saidAt)
  if (!known || !from || startOfDay(known) === undefined || from <= (startOfDay(known) as string))
    return operation
  const payload = { version: version.id, value, validFrom: from, ...(validUntil && { validUntil }) }
  return { ...operation, operation: 'supersede_claim', payload }
}

/** Returns the current values in the slot of an operation that its value would contradict. */
export async function otherValues(
  { store: { tables } }: Deps,
  agentId: string,
  { operation, payload }: Operation,
  project: string | null,
): Promise<ClaimVersionRow[]> {
  if (operation !== 'assert_claim') return []
  const { entity, aspect, group, claim } = payload
  const row = await findEntity(tables, agentId, entity)
  if (!row) return []
  const keys = { aspect_key: nameKey(aspect), group_key: nameKey(group), claim_key: nameKey(claim) }
  const slot = await tables.claims.bySlot({ entity_id: row.id, ...keys })
  const held = slot ? await tables.claims.standing(slot.id, ['current']) : []
  const next = timedValue(payload)
  return held.filter(
    one => one.project === project && !['apart', 'same', 'narrows'].includes(relationOf(one, next)),
  )
}

function startOfDay(time: string): string | undefined {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? undefined : new Date(ms - (ms % dayMs)).toISOString()
}
