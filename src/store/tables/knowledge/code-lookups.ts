import type { Database as Connection } from 'better-sqlite3'
import type { CodeImportRow, EdgeRow, FileRow, SymbolRow } from './code-rows.js'
import { unboundReads } from './code-unbound.js'

/** The columns needed to decide whether a name refers to a symbol. */
export type NamedSymbol = Pick<
  SymbolRow,
  'id' | 'file' | 'parent' | 'kind' | 'name' | 'qualified_name' | 'exported'
>

export type IndexedFile = Pick<FileRow, 'id' | 'path' | 'language'>

/** A use whose target is to be resolved. */
export type UnresolvedUse = Pick<EdgeRow, 'file' | 'source' | 'kind' | 'name' | 'qualifier' | 'receiver'>

export type ResolvedEdge = Omit<EdgeRow, 'confidence'>

/** Queries that resolve names. */
export type CodeLookups = ReturnType<typeof codeLookups>

const named = 'SELECT id, file, parent, kind, name, qualified_name, exported FROM symbols'
const edge =
  'SELECT id, file, source, kind, name, qualifier, receiver, line, count, target, target_file, candidates FROM edges'

export function codeLookups(connection: Connection) {
  const ours = "SELECT id, path, language FROM files WHERE status IN ('indexed', 'partial')"
  const files = connection.prepare<[], IndexedFile>(ours)
  const fileById = connection.prepare<[number], IndexedFile>(`${ours} AND id = ?`)
  const fileByPath = connection.prepare<[string], IndexedFile>(`${ours} AND path = ?`)
  const byName = connection.prepare<[string], NamedSymbol>(`${named} WHERE name = ?`)
  const byQualified = connection.prepare<[string], NamedSymbol>(`${named} WHERE qualified_name = ?`)
  const byId = connection.prepare<[number], NamedSymbol>(`${named} WHERE id = ?`)
  const first = connection.prepare<[number], NamedSymbol>(
    `${named} WHERE file = ? AND parent IS NULL AND kind <> 'route' ORDER BY start_line LIMIT 1`,
  )
  const imports = connection.prepare<[number], CodeImportRow>(
    'SELECT * FROM imports WHERE file = ? ORDER BY id',
  )
  const inherited = connection
    .prepare<[number], number | null>(
      "SELECT target FROM edges WHERE source = ? AND kind = 'inherit' ORDER BY id",
    )
    .pluck()
  const ofFile = connection.prepare<[number], ResolvedEdge>(`${edge} WHERE file = ?`)
  const naming = connection
    .prepare<[string], number>('SELECT DISTINCT file FROM edges WHERE name = ?')
    .pluck()
  const parents = connection
    .prepare<[number], number>(
      "SELECT target FROM edges WHERE file = ? AND kind = 'inherit' AND target IS NOT NULL",
    )
    .pluck()
  const members = connection.prepare<[number], string>('SELECT name FROM symbols WHERE parent = ?').pluck()
  const outside = connection
    .prepare<[string, string], string>(
      'SELECT name FROM symbols WHERE qualified_name > ? AND qualified_name < ? AND parent IS NULL',
    )
    .pluck()
  const users = connection
    .prepare<[string], number>('SELECT DISTINCT file FROM imports WHERE target = ?')
    .pluck()
  return {
    indexedFiles: (): IndexedFile[] => files.all(),
    indexedFile: (id: number): IndexedFile | undefined => fileById.get(id),
    indexedFileAt: (path: string): IndexedFile | undefined => fileByPath.get(path),
    symbolsNamed: (name: string): NamedSymbol[] => byName.all(name),
    symbolsQualified: (name: string): NamedSymbol[] => byQualified.all(name),
    symbol: (id: number): NamedSymbol | undefined => byId.get(id),
    firstSymbol: (file: number): NamedSymbol | undefined => first.get(file),
    importsOf: (file: number): CodeImportRow[] => imports.all(file),
    /** Returns the types a type inherits from; null for unresolved ones. */
    inherited: (symbol: number): (number | null)[] => inherited.all(symbol),
    /** Returns types of the project that a file's types inherit from. */
    parentsIn: (file: number): number[] => parents.all(file),
    /** Returns the names of a type's members, including those defined elsewhere. */
    membersOf: ({ id, qualified_name: name }: NamedSymbol): string[] => [
      ...members.all(id),
      ...outside.all(`${name}.`, `${name}/`),
    ],
    edgesOfFile: (file: number): ResolvedEdge[] => ofFile.all(file),
    /** Returns files with edges of a name. */
    filesNaming: (name: string): number[] => naming.all(name),
    ...unboundReads(connection),
    /** Returns files that import from a module. */
    importersOf: (target: string): number[] => users.all(target),
  }
}
