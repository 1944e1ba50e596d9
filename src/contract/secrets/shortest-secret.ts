/** Shortest text that is taken out of output: less would mask every other word. No zod here, so that commands can ask too. */
export const shortestSecret = 4

/** How many characters of a value can be told from other text: white space around it can't. */
export function tellableLength(value: string): number {
  return [...value.trim()].length
}
