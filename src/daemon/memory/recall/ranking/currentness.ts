import { weights } from './weights.js'

/** Validity of a row's content (recall.md 1.3.9). */
export type Currentness = 'current' | 'superseded' | 'expired' | 'upcoming'

/** Validity period as ISO timestamps, and the id of the successor. */
export interface Validity {
  superseded_by: string | null
  valid_from: string | null
  valid_until: string | null
}

/** @param now ISO timestamp. @returns `superseded` first, since it names the successor. */
export function currentnessOf(row: Validity, now: string): Currentness {
  if (row.superseded_by !== null) return 'superseded'
  if (row.valid_until !== null && row.valid_until <= now) return 'expired'
  return row.valid_from !== null && row.valid_from > now ? 'upcoming' : 'current'
}

/**
 * Damps replaced and expired rows, and ranks a replaced row below its successor when both are found. Rows
 * that are not yet valid are not damped, since people ask for plans too.
 *
 * @param rows authorised rows by memory id
 * @param evidence of the same rows by memory id
 * @param now ISO timestamp
 * @returns factors by memory id
 */
export function currentnessFactors(
  rows: ReadonlyMap<string, Validity>,
  evidence: (id: string) => number | undefined,
  now: string,
): Map<string, number> {
  const factors = new Map<string, number>()
  for (const [id, first] of rows) {
    if (!isOutdated(first, now)) continue
    // Newest first along the chain, because a row's ceiling depends on its successor's final value.
    for (const link of chainOf(id, rows, factors).reverse()) {
      const row = rows.get(link)!
      const successor = row.superseded_by ?? ''
      const ceiling =
        weights.currentness.belowSuccessor * (evidence(successor) ?? Infinity) * (factors.get(successor) ?? 1)
      const own = evidence(link) ?? 0
      factors.set(
        link,
        isOutdated(row, now) ? Math.min(weights.currentness.outdated, own > 0 ? ceiling / own : 1) : 1,
      )
    }
  }
  for (const [id, factor] of factors) if (factor === 1) factors.delete(id)
  return factors
}

function isOutdated(row: Validity, now: string): boolean {
  const currentness = currentnessOf(row, now)
  return currentness === 'superseded' || currentness === 'expired'
}

/** The row and its successors among the rows, up to one with a known factor. */
function chainOf(
  id: string,
  rows: ReadonlyMap<string, Validity>,
  known: ReadonlyMap<string, number>,
): string[] {
  const chain = new Set<string>()
  let link: string | null = id
  while (link !== null && rows.has(link) && !known.has(link) && !chain.has(link)) {
    chain.add(link)
    link = rows.get(link)!.superseded_by
  }
  return [...chain]
}

/** How many code references of a memory are unchanged, changed or gone. */
export interface CodeDrift {
  here: number
  changed: number
  gone: number
}

/**
 * A memory whose referenced code changed or is gone may be outdated (code-index.md 11): it loses evidence by
 * the share of references that moved.
 * @returns factors by memory id
 */
export function groundFactors(moved: ReadonlyMap<string, CodeDrift>): Map<string, number> {
  return new Map(
    [...moved].map(([id, { here, changed, gone }]) => {
      const lost = changed * weights.ground.changed + gone * weights.ground.gone
      return [id, 1 - lost / (here + changed + gone)]
    }),
  )
}
