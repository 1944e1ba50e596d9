import { type EvidenceTable, noValues } from './evidence-table.js'
import { weights } from './weights.js'

/**
 * The cap on rows that only their hints speak for (recall.md 1.3.5): they end below every row that is grounded, by
 * keyword, vector or a claim that it says, nearly as well as the best grounded one. A stray shared word does not cap a good hint.
 *
 * @returns factors by place
 */
export function hintCaps(table: EvidenceTable): Float64Array | undefined {
  const isHinted = table.givenBy('hints')
  if (!isHinted) return undefined
  const grounds = ['keyword', 'vector', 'claims'].flatMap(step => table.givenBy(step) ?? [])
  const isGrounded = (place: number): boolean => grounds.some(isGiven => isGiven(place))
  const { count } = table.rows
  const hinted: number[] = []
  const grounded = noValues(table.rows)
  let best = -1
  for (let place = 0; place < count; place++) {
    if (isGrounded(place)) {
      grounded[place] = table.evidence(place)
      best = Math.max(best, grounded[place]!)
    } else if (isHinted(place)) hinted.push(place)
  }
  if (hinted.length === 0 || best < 0) return undefined
  const solid = weights.hintCap.solidShare * best
  const least = grounded.reduce((low, e) => (e >= solid ? Math.min(low, e) : low), Number.MAX_VALUE)
  const cap = weights.hintCap.belowGrounded * least
  const caps = noValues(table.rows)
  for (const place of hinted) {
    const evidence = table.evidence(place)
    if (evidence > cap) caps[place] = cap / evidence
  }
  return caps
}
