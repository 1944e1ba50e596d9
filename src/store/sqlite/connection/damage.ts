/** True for what SQLite says of a page that makes no sense, or of a file that is no database. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/u.test((error as { code?: string } | null)?.code ?? '')
}
