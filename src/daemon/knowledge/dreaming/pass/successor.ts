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
 * @param said time of the text, ISO 8601; `always` for what was read again and says so now
 */
export async function asSuccessor(
  { store }: Pick<Daemon, 'store'>,
  agentId: string,
  operation: Operation,
  said: { saidAt: string; project: string | null } | 'always',
): Promise<Operation> {
  if (operation.operation !== 'assert_claim' || standing.has(operation.payload.aspect)) return operation
  const { entity, aspect, group, claim, value, validUntil } = operation.payload
  const row = await findEntity(store.tables, agentId, entity)
  if (!row) return operation
  const keys = { aspect_key: nameKey(aspect), group_key: nameKey(group), claim_key: nameKey(claim) }
  const slot = await store.tables.claims.bySlot({ entity_id: row.id, ...keys })
  const held = slot ? await store.tables.claims.standing(slot.id, ['current']) : []
  const next = timedValue(operation.payload)
  const project = said === 'always' ? null : said.project
  const [version, ...more] = held.filter(
    one => one.project === project && !['apart', 'same', 'narrows'].includes(relationOf(one, next)),
  )
  if (!version || more.length > 0) return operation
  if (said === 'always')
    return { ...operation, operation: 'supersede_claim', payload: { version: version.id, value } }
  const known = version.valid_from ?? (await store.tables.evidenceSpans.lastSaid(version.id))
  const from = operation.payload.validFrom ?? startOfDay(said.saidAt)
  if (!known || !from || startOfDay(known) === undefined || from <= (startOfDay(known) as string))
    return operation
  const payload = { version: version.id, value, validFrom: from, ...(validUntil && { validUntil }) }
  return { ...operation, operation: 'supersede_claim', payload }
}

function startOfDay(time: string): string | undefined {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? undefined : new Date(ms - (ms % dayMs)).toISOString()
}
