import type { AttentionOutcome } from '../../../../store/tables/knowledge/attentions.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { breathe, type DreamingPass, modeOf, scopeOf } from '../pass/pass.js'

/** Entities compared at once: the most recently changed ones. */
const maxCompared = 1000

/**
 * Proposes to merge entities of one agent and type whose names differ in spaces and punctuation only (`Type
 * Script`, `TypeScript`): the newer into the older one. Pairs that were proposed before are skipped.
 */
export async function proposeMerges(pass: DreamingPass, agentId: string): Promise<AttentionEnd> {
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

/** Groups of at least two, the oldest entity first. */
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

/** The outcome of an attention; `detail` gives more information. */
export interface AttentionEnd {
  state: AttentionOutcome
  detail?: string | null
}
