import type { Database as Connection } from 'better-sqlite3'
import type { EdgeRow, FileRow, ImportRow, SymbolRow } from './code-rows.js'

/** What has to be known of a symbol to tell whether a name means it. */
export type NamedSymbol = Pick<
  SymbolRow,
  'id' | 'file' | 'parent' | 'kind' | 'name' | 'qualified_name' | 'exported'
>

/** An edge whose end is looked for. */
export type OpenEdge = Omit<EdgeRow, 'line' | 'count' | 'confidence'>

/** What names are looked up by. */
export type CodeLookups = ReturnType<typeof codeLookups>

const named = 'SELECT id, file, parent, kind, name, qualified_name, exported FROM symbols'
const open =
  'SELECT id, file, source, kind, name, qualifier, receiver, target, target_file, candidates FROM edges'

export function codeLookups(connection: Connection) {
  const files = connection.prepare<[], Pick<FileRow, 'id' | 'path' | 'language'>>(
    "SELECT id, path, language FROM files WHERE status IN ('indexed', 'partial')",
  )
  const byName = connection.prepare<[string], NamedSymbol>(`${named} WHERE name = ?`)
  const byQualified = connection.prepare<[string], NamedSymbol>(`${named} WHERE qualified_name = ?`)
  const byId = connection.prepare<[number], NamedSymbol>(`${named} WHERE id = ?`)
  const first = connection.prepare<[number], NamedSymbol>(
    `${named} WHERE file = ? AND parent IS NULL AND kind <> 'route' ORDER BY start_line LIMIT 1`,
  )
  const imports = connection.prepare<[number], ImportRow>('SELECT * FROM imports WHERE file = ? ORDER BY id')
  const inherited = connection
    .prepare<[number], number | null>(
      "SELECT target FROM edges WHERE source = ? AND kind = 'inherit' ORDER BY id",
    )
    .pluck()
  const edges = connection.prepare<[number, number], OpenEdge>(`${open} WHERE id > ? ORDER BY id LIMIT ?`)
  const ofFile = connection.prepare<[number], OpenEdge>(`${open} WHERE file = ?`)
  const ofName = connection.prepare<[string], OpenEdge>(`${open} WHERE name = ?`)
  const users = connection
    .prepare<[string], number>('SELECT DISTINCT file FROM imports WHERE target = ?')
    .pluck()
  return {
    indexedFiles: () => files.all(),
    symbolsNamed: (name: string): NamedSymbol[] => byName.all(name),
    symbolsQualified: (name: string): NamedSymbol[] => byQualified.all(name),
    symbol: (id: number): NamedSymbol | undefined => byId.get(id),
    firstSymbol: (file: number): NamedSymbol | undefined => first.get(file),
    importsOf: (file: number): ImportRow[] => imports.all(file),
    /** What a type inherits from; null for what was not found. */
    inherited: (symbol: number): (number | null)[] => inherited.all(symbol),
    edgesAfter: (id: number, limit: number): OpenEdge[] => edges.all(id, limit),
    edgesOfFile: (file: number): OpenEdge[] => ofFile.all(file),
    edgesNamed: (name: string): OpenEdge[] => ofName.all(name),
    /** Files that import from a module. */
    importersOf: (target: string): number[] => users.all(target),
  }
}
