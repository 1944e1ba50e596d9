import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Database as Connection } from 'better-sqlite3'
import type { CodeImportRow, EdgeRow, FileRow, SymbolRow } from './code-rows.js'

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

/** A use that no symbol in the project is known to match. */
export type UnboundUse = Pick<
  EdgeRow,
  'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count' | 'source'
>

type PackedUse = readonly [
  kind: UnboundUse['kind'],
  name: string,
  qualifier: string | null,
  receiver: string | null,
  line: number,
  count: number,
  source: number | null,
]

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

/** Names are stored as four-byte hashes; collisions are resolved by comparing the names in a file's uses. */
const nameHash = (name: string): number => crc32(name)

/**
 * Unbound uses, one row per file. They are most of a file's uses (library names) and rarely queried, and
 * would dominate the index as edges. Binding takes out those that it can resolve.
 */
export function unboundReads(connection: Connection) {
  const one = connection.prepare<[number], Buffer>('SELECT uses FROM unbound WHERE file = ?').pluck()
  const naming = connection
    .prepare<[number, number], number>('SELECT file FROM unbound_names WHERE name = ? LIMIT ?')
    .pluck()
  const unboundIn = (file: number): UnboundUse[] => {
    const packed = one.get(file)
    return packed ? unpacked(packed) : []
  }
  return {
    unboundIn,
    /** Returns files that use a name; hash collisions may add others. */
    filesUsing: (name: string, limit: number): number[] => naming.all(nameHash(name), limit),
  }
}

export function unboundWrites(connection: Connection) {
  const put = connection.prepare<[number, number, Buffer]>(
    'INSERT INTO unbound (file, named, uses) VALUES (?, ?, ?) ON CONFLICT (file) DO UPDATE SET named = excluded.named, uses = excluded.uses',
  )
  const drop = connection.prepare<[number]>('DELETE FROM unbound WHERE file = ?')
  const one = connection.prepare<[number], { named: number; uses: Buffer }>(
    'SELECT named, uses FROM unbound WHERE file = ?',
  )
  const addName = connection.prepare<[number, number]>(
    'INSERT INTO unbound_names (name, file) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const dropName = connection.prepare<[number, number]>(
    'DELETE FROM unbound_names WHERE name = ? AND file = ?',
  )
  const namesKnownIn = (file: number): Set<number> => {
    const row = one.get(file)
    return row?.named === 1 ? namesOf(unpacked(row.uses)) : new Set()
  }
  return {
    /** Saves uses of a file that were not tried for binding yet. */
    addUnsettled: (file: number, uses: readonly UnboundUse[]) => {
      if (uses.length > 0) put.run(file, 0, packedOf(uses))
    },
    /** Saves the uses of a file that binding could not resolve. */
    settleUnbound: (file: number, uses: readonly UnboundUse[]) => {
      const [before, now] = [namesKnownIn(file), namesOf(uses)]
      for (const name of before) if (!now.has(name)) dropName.run(name, file)
      for (const name of now) if (!before.has(name)) addName.run(name, file)
      if (uses.length > 0) put.run(file, 1, packedOf(uses))
      else drop.run(file)
    },
    isSettled: (file: number): boolean => (one.get(file)?.named ?? 1) === 1,
    dropUnbound: (file: number) => {
      for (const name of namesKnownIn(file)) dropName.run(name, file)
      drop.run(file)
    },
  }
}

function namesOf(uses: readonly UnboundUse[]): Set<number> {
  return new Set(uses.map(({ name }) => nameHash(name)))
}

function packedOf(uses: readonly UnboundUse[]): Buffer {
  const rows = uses.map(
    ({ kind, name, qualifier, receiver, line, count, source }): PackedUse => [
      kind,
      name,
      qualifier,
      receiver,
      line,
      count,
      source,
    ],
  )
  return deflateRawSync(JSON.stringify(rows), { level: 3 })
}

function unpacked(packed: Buffer): UnboundUse[] {
  const rows = JSON.parse(inflateRawSync(packed).toString()) as PackedUse[]
  return rows.map(([kind, name, qualifier, receiver, line, count, source]) => ({
    kind,
    name,
    qualifier,
    receiver,
    line,
    count,
    source,
  }))
}
