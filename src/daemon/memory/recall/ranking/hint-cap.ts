import { type Contribution, totalEvidence } from './evidence.js'

/** Hint-only evidence stays this far below the grounded evidence that caps it. */
const HINT_CAP = 0.95
/** A grounded row caps hint-only rows when it is at least this good, relative to the best grounded one. */
const SOLID_SHARE = 0.8

/**
 * The cap on rows that only their hints speak for (spec 1, 1.3.5): they end below every row that is grounded, by
 * keyword or vector, nearly as well as the best grounded one. A stray shared word does not cap a good hint.
 *
 * @returns factors by memory id
 */
export function hintCaps(ledger: ReadonlyMap<string, readonly Contribution[]>): Map<string, number> {
  const caps = new Map<string, number>()
  const hinted: [id: string, list: readonly Contribution[]][] = []
  for (const [id, list] of ledger) if (isHinted(list) && !isGrounded(list)) hinted.push([id, list])
  if (hinted.length === 0) return caps
  const grounded: number[] = []
  for (const list of ledger.values()) if (isGrounded(list)) grounded.push(totalEvidence(list))
  if (grounded.length === 0) return caps
  const solid = SOLID_SHARE * grounded.reduce((best, evidence) => Math.max(best, evidence))
  const cap =
    HINT_CAP * grounded.reduce((least, e) => (e >= solid ? Math.min(least, e) : least), Number.MAX_VALUE)
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
  return contributions.some(({ step }) => step === 'keyword' || step === 'vector')
}
