/** What an environment variable may be called (secrets.md#names-and-values); no zod here, so that commands can ask too. */
export const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What is wrong with another name. It is not repeated: somebody may have given the value as the name. */
export const nameFault =
  'a name of a secret has letters, digits and _ only and begins with no digit, such as OPENAI_API_KEY'

/** Shortest text that is taken out of output: less would mask every other word. No zod here, so that commands can ask too. */
export const shortestSecret = 4

/** How many characters of a value can be told from other text: white space around it can't. */
export function tellableLength(value: string): number {
  return [...value.trim()].length
}
