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
  const hinted: number[] = []
  const grounded: number[] = []
  for (let place = 0; place < table.rows.count; place++) {
    if (isGrounded(place)) grounded.push(table.evidence(place))
    else if (isHinted(place)) hinted.push(place)
  }
  if (hinted.length === 0 || grounded.length === 0) return undefined
  const solid = weights.hintCap.solidShare * grounded.reduce((best, evidence) => Math.max(best, evidence))
  const cap =
    weights.hintCap.belowGrounded *
    grounded.reduce((least, e) => (e >= solid ? Math.min(least, e) : least), Number.MAX_VALUE)
  const caps = noValues(table.rows)
  for (const place of hinted) {
    const evidence = table.evidence(place)
    if (evidence > cap) caps[place] = cap / evidence
  }
  return caps
}
