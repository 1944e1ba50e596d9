const beyond = /[^\0-\x7f]/

/** Returns true for pure ASCII: a text without accents, lookalike letters or invisible characters. */
export function isAscii(text: string): boolean {
  return !beyond.test(text)
}
