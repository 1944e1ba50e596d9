import type { ClaimPath } from '../../../../store/tables/knowledge/recall-paths.js'
import { weights } from '../ranking/weights.js'
import type { Named } from './named.js'

/**
 * What claims give to the memories that say them: points by the share of the query that the names on the way are. A
 * slot that is named is what is asked for; where its entity is not named too, each slot of that name counts as little
 * as there are many. An entity alone leads to all that is known of it.
 *
 * @param factors what the session's ratings make of entities
 * @returns points by memory id
 */
export function claimEvidence(
  paths: readonly ClaimPath[],
  { entities, slotKeys, shareOf }: Named,
  factors: ReadonlyMap<string, number>,
): Map<string, number> {
  const { points: most, entityAlone } = weights.claims
  const known = new Map<string, Set<string>>()
  for (const { entity_id, version_id } of paths)
    known.set(entity_id, (known.get(entity_id) ?? new Set()).add(version_id))
  const points = new Map<string, number>()
  for (const path of paths) {
    const names = entities.get(path.entity_id) ?? []
    const slot = [path.aspect_key, path.group_key, path.claim_key].filter(key => slotKeys.has(key))
    if (names.length + slot.length === 0) continue
    const fewest = Math.min(...slot.map(key => slotKeys.get(key) ?? 1))
    const alone = entityAlone / Math.sqrt(known.get(path.entity_id)?.size ?? 1)
    const reach = slot.length === 0 ? alone : names.length === 0 ? 1 / Math.sqrt(fewest) : 1
    const share = shareOf([...names, ...slot]) * (factors.get(path.entity_id) ?? 1)
    const value = Math.min(most, most * reach * path.confidence * share)
    if (value > (points.get(path.memory_id) ?? 0)) points.set(path.memory_id, value)
  }
  return points
}
