/** One word as a POSIX shell reads it: plain ones as they are, others in single quotes. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : inSingleQuotes(word)
}

/** Any text as one word of a POSIX shell. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
