import { weights } from './weights.js'

/** How much of what a memory says of code is as it was, how much changed, and how much is gone. */
export interface Ground {
  here: number
  changed: number
  gone: number
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
