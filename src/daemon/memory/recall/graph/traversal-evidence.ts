import type { LinkPath, MentionPath } from '../../../../store/tables/knowledge/recall-paths.js'
import { weights } from '../ranking/weights.js'

/** How much of the query an entity stands for, 0..1, by its id. */
export type Nearness = ReadonlyMap<string, number>

/**
 * The entities one link further: each stands for what the one before does, damped by the step and by how many links
 * that one has. What has very many leads nowhere in particular.
 *
 * @returns those that were not reached yet, the better way where there are several
 */
export function oneLinkFurther(from: Nearness, links: readonly LinkPath[], reached: Nearness): Nearness {
  const { perLink, mostLinks } = weights.traversal
  const degrees = new Map<string, number>()
  for (const { near } of links) degrees.set(near, (degrees.get(near) ?? 0) + 1)
  const further = new Map<string, number>()
  for (const { near, far, confidence } of links) {
    const degree = degrees.get(near) ?? 1
    if (reached.has(far) || degree > mostLinks) continue
    const share = ((from.get(near) ?? 0) * perLink * confidence) / Math.sqrt(degree)
    if (share > (further.get(far) ?? 0)) further.set(far, share)
  }
  return further
}

/**
 * What entities give to the memories that mention them: of one that few memories mention each is told more by it. A
 * memory that mentions several of them has the points of all.
 *
 * @returns points by memory id
 */
export function traversalEvidence(nearness: Nearness, mentions: readonly MentionPath[]): Map<string, number> {
  const { points: most } = weights.traversal
  const points = new Map<string, number>()
  for (const { entity_id, memory_id, mentions: count } of mentions) {
    const value = (most * (nearness.get(entity_id) ?? 0)) / Math.sqrt(Math.max(1, count))
    if (value > 0) points.set(memory_id, Math.min(most, (points.get(memory_id) ?? 0) + value))
  }
  return points
}
