/** A fact by its slot and value. */
export interface SlotValue {
  group: string
  claim: string
  value: string
}

/**
 * Writes a fact as one reads it: the value alone where it repeats the name of the claim, otherwise both.
 * @returns for example `port: 7421`, or `Never deploy on Friday` of the claim "deploy on friday".
 */
export function factText({ group, claim, value }: SlotValue): string {
  const said = new Set(wordsOf(value))
  const named = wordsOf(claim)
  if (named.length > 0 && named.every(word => said.has(word))) return value
  return `${group === 'general' ? '' : `${group}, `}${claim}: ${value}`
}

/** Writes a link between two entities as one reads it on the page of one of them. */
export function linkText(link: { direction: 'to' | 'from'; relation: string; other: string }): string {
  const { direction, relation, other } = link
  return direction === 'to' ? `${relation} ${other}` : `${other} ${relation} it`
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
