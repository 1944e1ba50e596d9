/** Returns whether SQLite reports a damaged page, or a file that is not a database. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/u.test((error as { code?: string } | null)?.code ?? '')
}
