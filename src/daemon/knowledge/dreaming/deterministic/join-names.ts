import { nameKey } from '../../../ground/entities/name-key.js'
import type { NamedThing } from '../../../ground/reading/reading.js'
import { isTool } from '../../../ground/reading/words/names.js'
import type { ExtractedOperation, KnownName } from '../reader.js'

/** `checkout service` is the thing `checkout`, if both are named. */
const kindOfThing = /^(.+) (?:service|app|component|package|library|module|repo|repository)$/iu
/** Types that such a thing may have. */
const things = new Set(['component', 'concept', 'project', 'repository', 'service', 'tool', 'topic'])

/**
 * Joins names of one thing: "the checkout service" gets the name "checkout" where that is known or named in
 * the same texts. The longer name becomes an alias.
 */
export function joinNames(
  operations: readonly ExtractedOperation[],
  known: ReadonlyMap<string, KnownName>,
): ExtractedOperation[] {
  const shorter = shorterNames(operations, known)
  if (shorter.size === 0) return [...operations]
  return operations.flatMap(one => {
    const joined = renamed(one, shorter)
    if (joined === one || one.operation.operation !== 'create_entity') return [joined]
    const { name: alias } = one.operation.payload
    const { name: entity, type: entityType } = (joined.operation as typeof one.operation).payload
    const payload = { entity, entityType, alias }
    return [joined, { ...joined, operation: { ...joined.operation, operation: 'add_alias', payload } }]
  })
}

function shorterNames(
  operations: readonly ExtractedOperation[],
  known: ReadonlyMap<string, KnownName>,
): Map<string, NamedThing> {
  const named = new Map<string, NamedThing>(known)
  for (const { operation } of operations) {
    if (operation.operation !== 'create_entity') continue
    const key = nameKey(operation.payload.name)
    if (!named.has(key)) named.set(key, operation.payload)
  }
  const shorter = new Map<string, NamedThing>()
  for (const [key, { name }] of named) {
    const [, base = ''] = kindOfThing.exec(name) ?? []
    const one = named.get(nameKey(base))
    // A longer name that was stored before stays an entity; only a person merges those.
    // `The iOS app` is not iOS.
    if (one && !isTool(base) && things.has(one.type) && !known.has(key)) shorter.set(key, one)
  }
  return shorter
}

/** Fields of payloads with a name, and those with its type. */
const nameFields = { name: 'type', entity: 'entityType', from: 'fromType', to: 'toType' }

function renamed(one: ExtractedOperation, shorter: ReadonlyMap<string, NamedThing>): ExtractedOperation {
  const payload = { ...one.operation.payload } as Record<string, unknown>
  let isChanged = false
  for (const [field, typeField] of Object.entries(nameFields)) {
    const name = payload[field]
    const short = typeof name === 'string' ? shorter.get(nameKey(name)) : undefined
    if (!short) continue
    payload[field] = short.name
    if (payload[typeField] !== undefined) payload[typeField] = short.type
    isChanged = true
  }
  return isChanged ? { ...one, operation: { ...one.operation, payload } as typeof one.operation } : one
}
