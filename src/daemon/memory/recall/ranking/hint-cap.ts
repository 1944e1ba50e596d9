import { type Contribution, type Given, totalEvidence } from './evidence.js'
import { weights } from './weights.js'

/**
 * The cap on rows that only their hints speak for (recall.md 1.3.5): they end below every row that is grounded, by
 * keyword, vector or a claim that it says, nearly as well as the best grounded one. A stray shared word does not cap a good hint.
 *
 * @returns factors by memory id
 */
export function hintCaps(given: Given): Map<string, number> {
  const caps = new Map<string, number>()
  const hinted: [id: string, list: readonly Contribution[]][] = []
  for (const [id, list] of given) if (isHinted(list) && !isGrounded(list)) hinted.push([id, list])
  if (hinted.length === 0) return caps
  const grounded: number[] = []
  for (const list of given.values()) if (isGrounded(list)) grounded.push(totalEvidence(list))
  if (grounded.length === 0) return caps
  const solid = weights.hintCap.solidShare * grounded.reduce((best, evidence) => Math.max(best, evidence))
  const cap =
    weights.hintCap.belowGrounded *
    grounded.reduce((least, e) => (e >= solid ? Math.min(least, e) : least), Number.MAX_VALUE)
  for (const [id, list] of hinted) {
    const evidence = totalEvidence(list)
    if (evidence > cap) caps.set(id, cap / evidence)
  }
  return caps
}

function isHinted(contributions: readonly Contribution[]): boolean {
  return contributions.some(({ step }) => step === 'hints')
}

function isGrounded(contributions: readonly Contribution[]): boolean {
  return contributions.some(({ step }) => step === 'keyword' || step === 'vector' || step === 'claims')
}
