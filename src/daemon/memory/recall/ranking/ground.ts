import { weights } from './weights.js'

/** How much of what a memory says of code is as it was, how much changed, and how much is gone. */
export interface Ground {
  here: number
  changed: number
  gone: number
}

/** The ground of each memory of which some moved. */
export function movedGround(ties: readonly { memory_id: string; state: string }[]): Map<string, Ground> {
  const all = new Map<string, Ground>()
  for (const { memory_id: id, state } of ties) {
    const ground = all.get(id) ?? { here: 0, changed: 0, gone: 0 }
    all.set(id, { ...ground, [state]: ground[state as keyof Ground] + 1 })
  }
  for (const [id, { changed, gone }] of all) if (changed + gone === 0) all.delete(id)
  return all
}

/**
 * What a memory says of code that changed or is gone since may not hold any more (code-index.md 11): it loses by the share of
 * its ground that moved.
 * @returns factors by memory id
 */
export function groundFactors(moved: ReadonlyMap<string, Ground>): Map<string, number> {
  return new Map(
    [...moved].map(([id, { here, changed, gone }]) => {
      const lost = changed * weights.ground.changed + gone * weights.ground.gone
      return [id, 1 - lost / (here + changed + gone)]
    }),
  )
}
