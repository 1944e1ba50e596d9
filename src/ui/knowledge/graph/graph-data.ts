import type { Reply } from '../../../contract/api.js'

export type GraphData = Reply<'GET /api/ontology/graph'>
export type GraphEntity = GraphData['nodes'][number]

/** Types with a colour of their own. */
export const colouredKinds = 7

/**
 * Numbers the types of entities, the most frequent first; rarer ones share a colour. The number belongs to a
 * class of the style sheet, `kind-0`.
 */
export function kindsOf(entities: readonly { type: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { type } of entities) counts.set(type, (counts.get(type) ?? 0) + 1)
  const types = [...counts].sort(([, one], [, other]) => other - one).map(([type]) => type)
  return new Map(types.map((type, position) => [type, Math.min(position, colouredKinds)]))
}
