/** Characters (UTF-16 units) that budgets count as one token. */
export const charactersPerToken = 4

/** Tokens of a text as budgets count them. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}
