import type { AttentionEnd } from '../../../../store/tables/knowledge/attentions.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { breathe, modeOf, type Pass, scopeOf } from '../pass/pass.js'

/** Entities that one look compares: those that changed last. */
const maxCompared = 1000

/**
 * Entities of one agent and type whose names differ by spaces and signs alone (`Type Script`, `TypeScript`) are proposed
 * to be one: the younger becomes part of the older. A pair that somebody was asked about is not asked about again.
 */
export async function proposeMerges(pass: Pass, agentId: string): Promise<Ended> {
  const { tables } = pass.deps.store
  const entities = await tables.entities.page(agentId, undefined, maxCompared)
  let proposedCount = 0
  for (const [into, ...others] of sameNames(entities))
    for (const from of others) {
      await breathe(pass)
      const payload = { from: from.id, into: into!.id }
      if (await tables.ontologyRecords.askedToMerge(agentId, JSON.stringify(payload))) continue
      const operation = {
        operation: 'merge_entities' as const,
        payload,
        reason: 'their names differ by spaces and signs alone',
        confidence: 0.8,
        evidence: [],
      }
      const { status } = await performOperation(
        pass.deps,
        scopeOf(pass, agentId, null),
        operation,
        modeOf(pass, false),
      )
      pass.counts.add(`operations.${status}`)
      pass.counts.add('by.same-name')
      proposedCount++
    }
  return { state: proposedCount > 0 ? 'done' : 'empty' }
}

/** Groups of two and more, the oldest of each first. */
function sameNames(entities: readonly EntityRow[]): EntityRow[][] {
  const groups = new Map<string, EntityRow[]>()
  for (const entity of entities) {
    const key = `${entity.entity_type} ${entity.name_key.replaceAll(' ', '')}`
    groups.set(key, [...(groups.get(key) ?? []), entity])
  }
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map(group => group.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)))
}

/** How a look at an attention ended; `detail` says more, where there is more to say. */
export interface Ended {
  state: AttentionEnd
  detail?: string | null
}
