/** Quotes a word for a POSIX shell if it needs quotes. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : inSingleQuotes(word)
}

/** Puts any text in single quotes for a POSIX shell. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
