import type { Operation } from '../../../../contract/knowledge/ontology-operations.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { timedValue } from '../../ontology/model/claim-version.js'
import { findEntity } from '../../ontology/model/entity.js'
import { relationOf } from '../../ontology/model/slot-rules.js'

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

/**
 * Turns the value of a later day into the next one of its slot: `port 6230` in March and `port 7421` in June
 * are a history. Different values of one day contradict each other (knowledge.md#contradictions).
 * @param saidAt time of the text, ISO 8601
 */
export async function asSuccessor(
  { store }: Pick<Daemon, 'store'>,
  agentId: string,
  operation: Operation,
  { saidAt, project }: { saidAt: string; project: string | null },
): Promise<Operation> {
  if (operation.operation !== 'assert_claim' || standing.has(operation.payload.aspect)) return operation
  const { entity, aspect, group, claim, value, validUntil } = operation.payload
  const row = await findEntity(store.tables, agentId, entity)
  if (!row) return operation
  const keys = { aspect_key: nameKey(aspect), group_key: nameKey(group), claim_key: nameKey(claim) }
  const slot = await store.tables.claims.bySlot({ entity_id: row.id, ...keys })
  const held = slot ? await store.tables.claims.standing(slot.id, ['current']) : []
  const next = timedValue(operation.payload)
  const [version, ...more] = held.filter(
    one => one.project === project && !['apart', 'same', 'narrows'].includes(relationOf(one, next)),
  )
  if (!version || more.length > 0) return operation
  const known = version.valid_from ?? (await store.tables.evidenceSpans.lastSaid(version.id))
  const from = operation.payload.validFrom ?? startOfDay(saidAt)
  if (!known || !from || startOfDay(known) === undefined || from <= (startOfDay(known) as string))
    return operation
  const payload = { version: version.id, value, validFrom: from, ...(validUntil && { validUntil }) }
  return { ...operation, operation: 'supersede_claim', payload }
}

function startOfDay(time: string): string | undefined {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? undefined : new Date(ms - (ms % dayMs)).toISOString()
}
