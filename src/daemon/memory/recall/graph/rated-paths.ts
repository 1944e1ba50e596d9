import type { Tables } from '../../../../store/tables/tables.js'
import { weights } from '../ranking/weights.js'

/**
 * What a session's ratings make of the ways through entities: a memory that it found helpful or harmful speaks for or
 * against what the entities that it mentions lead to (recall.md#feedback). A neutral rating takes it back.
 *
 * @param ratings -1 to 1 by memory id
 * @returns factors by entity id; the mean counts where several of its memories were rated
 */
export async function pathFactors(
  { recallPaths }: Pick<Tables, 'recallPaths'>,
  agentId: string,
  ratings: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const given = [...ratings].filter(([, rating]) => rating !== 0).map(([id]) => id)
  if (given.length === 0) return new Map()
  const rated = new Map<string, number[]>()
  for (const { entity_id, memory_id } of await recallPaths.mentionedBy(agentId, given))
    rated.set(entity_id, [...(rated.get(entity_id) ?? []), ratings.get(memory_id) ?? 0])
  return new Map([...rated].map(([id, all]) => [id, 1 + weights.feedback * mean(all)]))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
