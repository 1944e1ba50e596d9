/**
 * Form of an environment variable's name (secrets.md#names-and-values); without zod, so that commands can use
 * it.
 */
export const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The message for an invalid name. It omits the name, which may be a value entered by mistake. */
export const nameFault =
  'a secret name has only letters, digits and _ and starts with a letter or _, such as OPENAI_API_KEY'

/** Shortest text masked in output, as shorter ones would mask ordinary words; without zod, for commands. */
export const shortestSecret = 4

/** Counts the characters of a value that can be recognized in text; surrounding white space can't. */
export function maskableLength(value: string): number {
  return [...value.trim()].length
}
