import type { Database as Connection } from 'better-sqlite3'
import { symbolsByWords } from '../../sql/code-schema.js'
import { unboundReads } from './code-lookups.js'
import type { Confidence, EdgeKind, FileRow, SymbolRow } from './code-rows.js'

/** A symbol with the file it is defined in. */
export interface SymbolInFile extends SymbolRow {
  path: string
  language: string | null
}

/** An edge seen from one side: `end` is the symbol at the other side, null for a file. */
export interface EdgeEnd {
  end: number | null
  /** The file that contains the use. */
  file: number
  path: string
  kind: EdgeKind
  confidence: Confidence
  line: number
  candidates: string | null
}

/** Queries on the index of one project; only one thread opens it. */
export type CodeReads = ReturnType<typeof codeReads>

const symbolInFileColumns =
  'symbols.*, files.path AS path, files.language AS language FROM symbols JOIN files ON files.id = symbols.file'
/** Excludes re-exports of a module's own names. */
const isImport = "NOT (specifier = '.' AND imports.exported = 1)"
const edge = 'edges.file AS file, files.path AS path, kind, confidence, line, candidates'

export function codeReads(connection: Connection) {
  return {
    ...symbolReads(connection),
    ...edgeReads(connection),
    ...fileReads(connection),
    ...summaries(connection),
    close: () => void connection.close(),
  }
}

function symbolReads(connection: Connection) {
  const all = (where: string, limit = '') =>
    connection.prepare<unknown[], SymbolInFile>(`SELECT ${symbolInFileColumns} WHERE ${where} ${limit}`)
  const one = all('symbols.id = ?')
  const named = all('symbols.name = ?', 'LIMIT ?')
  const folded = all('symbols.name_folded = ?', 'LIMIT ?')
  const prefixed = all('symbols.name_folded > ? AND symbols.name_folded < ?', 'LIMIT ?')
  const qualified = all('symbols.qualified_name = ?', 'LIMIT ?')
  const members = all('symbols.parent = ?', 'ORDER BY symbols.start_line LIMIT ?')
  const inFile = all('symbols.file = ?', 'ORDER BY symbols.start_line LIMIT ?')
  const words = connection.prepare<[string, number], { id: number; score: number }>(symbolsByWords)
  const valued = connection.prepare<[], SymbolInFile>(
    `SELECT ${symbolInFileColumns} WHERE symbols.value IS NOT NULL AND symbols.kind IN ('constant', 'variable', 'field')`,
  )
  return {
    symbol: (id: number): SymbolInFile | undefined => one.get(id),
    symbolsNamed: (name: string, limit: number) => named.all(name, limit),
    symbolsFolded: (name: string, limit: number) => folded.all(name, limit),
    /** @param name in lower case; an exact match is excluded. */
    symbolsBeginning: (name: string, limit: number) => prefixed.all(name, `${name}\u{10ffff}`, limit),
    symbolsQualified: (name: string, limit: number) => qualified.all(name, limit),
    membersOf: (id: number, limit: number) => members.all(id, limit),
    symbolsIn: (file: number, limit: number) => inFile.all(file, limit),
    /** @param match an FTS5 query. @returns the best first; lower scores are better. */
    symbolsByWords: (match: string, limit: number) => words.all(match, limit),
    constants: () => valued.iterate(),
  }
}

function edgeReads(connection: Connection) {
  const edges = (end: string, where: string) =>
    connection.prepare<unknown[], EdgeEnd>(
      `SELECT ${end} AS "end", ${edge} FROM edges JOIN files ON files.id = edges.file WHERE ${where} LIMIT ?`,
    )
  const into = edges('source', 'target = ?')
  const maybe = edges('source', "name = ? AND confidence = 'ambiguous'")
  const from = edges('target', "source = ? AND confidence <> 'unresolved'")
  const importing = (which: string) =>
    connection.prepare<unknown[], EdgeEnd>(
      `SELECT NULL AS "end", imports.file AS file, files.path AS path, 'import' AS kind, 'certain' AS confidence,
         MIN(imports.line) AS line, NULL AS candidates FROM imports JOIN files ON files.id = imports.file
       WHERE target = ? AND ${which} AND ${isImport} GROUP BY imports.file, specifier LIMIT ?`,
    )
  const ofModule = importing('1 = 1')
  const ofName = importing('name = ?')
  const unbound = unboundReads(connection)
  const path = connection.prepare<[number], string>('SELECT path FROM files WHERE id = ?').pluck()
  const used = connection.prepare<[number], number>('SELECT count(*) FROM edges WHERE target = ?').pluck()
  return {
    edgesTo: (symbol: number, limit: number) => into.all(symbol, limit),
    /** Returns uses known by name only; `candidates` lists the possible targets. */
    edgesByName: (name: string, limit: number) => maybe.all(name, limit),
    edgesFrom: (symbol: number, limit: number) => from.all(symbol, limit),
    /** Returns the imports of a file, or of one name in it. */
    importsOf: (file: string, name: string | undefined, limit: number) =>
      name === undefined ? ofModule.all(file, limit) : ofName.all(file, name, limit),
    /** Returns unbound uses of a name; undefined when more than `mostFiles` files may contain it. */
    unboundUses: (name: string, mostFiles: number): EdgeEnd[] | undefined => {
      const files = unbound.filesUsing(name, mostFiles + 1)
      if (files.length > mostFiles) return undefined
      return files.flatMap(file =>
        unbound
          .unboundIn(file)
          .filter(use => use.name === name)
          .map(({ source, kind, line }) => ({
            ...{ end: source, file, path: path.get(file) ?? '', kind, line },
            ...{ confidence: 'unresolved' as const, candidates: null },
          })),
      )
    },
    usesOf: (symbol: number): number => used.get(symbol) ?? 0,
  }
}

function fileReads(connection: Connection) {
  const one = connection.prepare<[string], FileRow>('SELECT * FROM files WHERE path = ?')
  const wanting = connection.prepare<[number], FileRow>(
    "SELECT * FROM files WHERE status IN ('failed', 'partial') ORDER BY path LIMIT ?",
  )
  const read = connection.prepare<[], Pick<FileRow, 'path' | 'size' | 'mtime_ms' | 'hash'>>(
    'SELECT path, size, mtime_ms, hash FROM files WHERE hash IS NOT NULL ORDER BY path',
  )
  return {
    fileAt: (path: string): FileRow | undefined => one.get(path),
    filesWanting: (limit: number) => wanting.all(limit),
    filesRead: () => read.iterate(),
  }
}

function summaries(connection: Connection) {
  const ask = <Row>(text: string) => connection.prepare<[], Row>(text)
  const byStatus = ask<{ status: string; reason: string | null; files: number }>(
    'SELECT status, reason, count(*) AS files FROM files GROUP BY status, reason ORDER BY files DESC',
  )
  const languages = ask<{ language: string; parser: string; files: number }>(
    'SELECT language, parser, count(*) AS files FROM files WHERE parser IS NOT NULL GROUP BY language, parser ORDER BY files DESC',
  )
  const symbols = ask<number>('SELECT count(*) FROM symbols').pluck()
  const edges = ask<{ confidence: Confidence; edges: number }>(
    'SELECT confidence, count(*) AS edges FROM edges GROUP BY confidence',
  )
  const imported = ask<number>(
    `SELECT count(*) FROM (SELECT DISTINCT imports.file, specifier FROM imports
     JOIN files ON files.path = imports.target WHERE ${isImport})`,
  ).pluck()
  const perFile = ask<{ id: number; path: string; symbols: number }>(
    `SELECT files.id AS id, files.path AS path, count(symbols.id) AS symbols
     FROM files LEFT JOIN symbols ON symbols.file = files.id WHERE parser IS NOT NULL GROUP BY files.id`,
  )
  const imports = ask<{ file: number; target: number }>(
    `SELECT DISTINCT imports.file AS file, files.id AS target FROM imports JOIN files ON files.path = imports.target
     WHERE ${isImport}`,
  )
  const central = connection.prepare<[number], { id: number; used: number }>(
    `SELECT target AS id, count(DISTINCT file) AS used FROM edges
     WHERE target IS NOT NULL GROUP BY target ORDER BY used DESC, target LIMIT ?`,
  )
  return {
    filesByStatus: () => byStatus.all(),
    languages: () => languages.all(),
    countSymbols: (): number => symbols.get() ?? 0,
    edgesByConfidence: () => edges.all(),
    countImports: (): number => imported.get() ?? 0,
    symbolsPerFile: () => perFile.all(),
    importsBetweenFiles: () => imports.all(),
    /** Returns the symbols used by the most files. */
    central: (limit: number) => central.all(limit),
  }
}
