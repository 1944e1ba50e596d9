import type { Database as Connection } from 'better-sqlite3'
import type { EdgeRow, FileRow, ImportRow, SymbolRow } from './code-rows.js'
import { unboundReads } from './code-unbound.js'

/** What has to be known of a symbol to tell whether a name means it. */
export type NamedSymbol = Pick<
  SymbolRow,
  'id' | 'file' | 'parent' | 'kind' | 'name' | 'qualified_name' | 'exported'
>

export type IndexedFile = Pick<FileRow, 'id' | 'path' | 'language'>

/** What is known of a use whose end is looked for. */
export type OpenUse = Pick<EdgeRow, 'file' | 'source' | 'kind' | 'name' | 'qualifier' | 'receiver'>

/** An edge as it stands. */
export type KnownEdge = Omit<EdgeRow, 'confidence'>

/** What names are looked up by. */
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
  const imports = connection.prepare<[number], ImportRow>('SELECT * FROM imports WHERE file = ? ORDER BY id')
  const inherited = connection
    .prepare<[number], number | null>(
      "SELECT target FROM edges WHERE source = ? AND kind = 'inherit' ORDER BY id",
    )
    .pluck()
  const ofFile = connection.prepare<[number], KnownEdge>(`${edge} WHERE file = ?`)
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
    importsOf: (file: number): ImportRow[] => imports.all(file),
    /** What a type inherits from; null for what was not found. */
    inherited: (symbol: number): (number | null)[] => inherited.all(symbol),
    /** Types of the project that those of a file inherit from. */
    parentsIn: (file: number): number[] => parents.all(file),
    /** Names of what a type has, also of what is written for it elsewhere. */
    membersOf: ({ id, qualified_name: name }: NamedSymbol): string[] => [
      ...members.all(id),
      ...outside.all(`${name}.`, `${name}/`),
    ],
    edgesOfFile: (file: number): KnownEdge[] => ofFile.all(file),
    /** Files with edges of a name. */
    filesNaming: (name: string): number[] => naming.all(name),
    ...unboundReads(connection),
    /** Files that import from a module. */
    importersOf: (target: string): number[] => users.all(target),
  }
}
