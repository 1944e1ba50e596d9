import type { Database as Connection } from 'better-sqlite3'
import { addWords, dropWords } from '../../sql/code-schema.js'
import { unboundWrites } from './code-lookups.js'
import type { CodeImportRow, EdgeRow, FileRow, SymbolRow } from './code-rows.js'

export type NewFile = Omit<FileRow, 'id'>
export type NewEdge = Omit<EdgeRow, 'id'>

/** The stored state of a file before it is read again. */
export type StoredFile = Pick<FileRow, 'id' | 'path' | 'hash' | 'size' | 'mtime_ms' | 'status' | 'reason'>

/** The searchable texts of a symbol. */
export interface SymbolWords {
  name: string
  signature: string
  doc: string
  path: string
}

/** Writes of an indexing run; only one connection writes at a time. */
export type CodeWrites = ReturnType<typeof codeWrites>

export function codeWrites(connection: Connection) {
  return {
    ...filesOf(connection),
    ...symbolsOf(connection),
    ...usesOf(connection),
    begin: () => void connection.exec('BEGIN'),
    commit: () => void connection.exec('COMMIT'),
    /** After a full disk no transaction may be left to roll back. */
    rollback: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK')
    },
  }
}

function filesOf(connection: Connection) {
  const rows = 'SELECT id, path, hash, size, mtime_ms, status, reason FROM files'
  const known = connection.prepare<[], StoredFile>(rows)
  const one = connection.prepare<[string], StoredFile>(`${rows} WHERE path = ?`)
  const below = connection.prepare<[string, string], StoredFile>(`${rows} WHERE path > ? AND path < ?`)
  const put = connection
    .prepare<[NewFile], number>(
      `INSERT INTO files (path, language, parser, hash, size, mtime_ms, lines, status, reason, message)
       VALUES (@path, @language, @parser, @hash, @size, @mtime_ms, @lines, @status, @reason, @message)
       ON CONFLICT (path) DO UPDATE SET language = excluded.language, parser = excluded.parser, hash = excluded.hash,
         size = excluded.size, mtime_ms = excluded.mtime_ms, lines = excluded.lines, status = excluded.status,
         reason = excluded.reason, message = excluded.message
       RETURNING id`,
    )
    .pluck()
  const touch = connection.prepare('UPDATE files SET size = ?, mtime_ms = ? WHERE id = ?')
  const drop = connection.prepare('DELETE FROM files WHERE id = ?')
  return {
    knownFiles: (): IterableIterator<StoredFile> => known.iterate(),
    knownFile: (path: string): StoredFile | undefined => one.get(path),
    knownBelow: (folder: string): StoredFile[] => below.all(`${folder}/`, `${folder}0`),
    putFile: (row: NewFile): number => put.get(row) as number,
    /** Updates size and time of a file whose bytes did not change. */
    touchFile: (id: number, size: number, mtimeMs: number) => void touch.run(size, mtimeMs, id),
    dropFile: (id: number) => void drop.run(id),
  }
}

function symbolsOf(connection: Connection) {
  const ofFile = connection.prepare<[number], SymbolRow>('SELECT * FROM symbols WHERE file = ?')
  const add = connection.prepare(
    `INSERT INTO symbols (id, file, parent, kind, name, name_folded, qualified_name, signature, doc, value, exported,
       start_line, end_line)
     VALUES (@id, @file, @parent, @kind, @name, @name_folded, @qualified_name, @signature, @doc, @value, @exported,
       @start_line, @end_line)`,
  )
  const change = connection.prepare(
    `UPDATE symbols SET parent = @parent, value = @value, exported = @exported, start_line = @start_line,
       end_line = @end_line WHERE id = @id`,
  )
  const drop = connection.prepare('DELETE FROM symbols WHERE id = ?')
  const last = connection.prepare<[], number>('SELECT COALESCE(MAX(id), 0) FROM symbols').pluck()
  const words = connection.prepare(addWords)
  const unword = connection.prepare(dropWords)
  return {
    symbolsOfFile: (file: number): SymbolRow[] => ofFile.all(file),
    lastSymbol: (): number => last.get() as number,
    addSymbol: (row: SymbolRow, { name, signature, doc, path }: SymbolWords) => {
      add.run(row)
      words.run(row.id, name, signature, doc, path)
    },
    /** Updates a symbol whose searchable texts did not change. */
    changeSymbol: (row: SymbolRow) => void change.run(row),
    dropSymbol: (id: number) => {
      unword.run(id)
      drop.run(id)
    },
  }
}

function usesOf(connection: Connection) {
  const addImport = connection.prepare(
    `INSERT INTO imports (file, specifier, name, local, exported, line, target)
     VALUES (@file, @specifier, @name, @local, @exported, @line, @target)`,
  )
  const dropImports = connection.prepare('DELETE FROM imports WHERE file = ?')
  const addEdge = connection.prepare(
    `INSERT INTO edges (file, source, kind, name, qualifier, receiver, line, count, target, target_file, confidence, candidates)
     VALUES (@file, @source, @kind, @name, @qualifier, @receiver, @line, @count, @target, @target_file, @confidence, @candidates)`,
  )
  const dropEdges = connection.prepare('DELETE FROM edges WHERE file = ?')
  const inherits = connection.prepare<
    [number],
    { source: number | null; qualifier: string | null; name: string; target: number | null }
  >(
    "SELECT source, qualifier, name, target FROM edges WHERE file = ? AND kind = 'inherit' ORDER BY source, line, name",
  )
  const handsOn = connection.prepare<[number], { specifier: string; name: string; local: string }>(
    'SELECT specifier, name, local FROM imports WHERE file = ? AND exported = 1 ORDER BY specifier, name, local',
  )
  const bind = connection.prepare(
    'UPDATE edges SET target = ?, target_file = ?, confidence = ?, candidates = ? WHERE id = ?',
  )
  const dropOne = connection.prepare('DELETE FROM edges WHERE id = ?')
  const lead = connection.prepare('UPDATE imports SET target = ? WHERE id = ?')
  const { dropUnbound, ...unbound } = unboundWrites(connection)
  return {
    ...unbound,
    addImport: (row: Omit<CodeImportRow, 'id'>) => void addImport.run(row),
    addEdge: (row: NewEdge) => void addEdge.run(row),
    /** Deletes a file's imports and outgoing edges. */
    dropUses: (file: number) => {
      dropImports.run(file)
      dropEdges.run(file)
      dropUnbound(file)
    },
    /** Returns the properties of a file that others depend on, for comparison, and its types' base types. */
    shapeOf: (file: number) => {
      const all = inherits.all(file)
      return {
        inherits: JSON.stringify(all.map(({ target: _target, ...written }) => written)),
        parents: all.flatMap(({ target }) => target ?? []),
        handsOn: JSON.stringify(handsOn.all(file)),
      }
    },
    bindEdge: ({ id, target, target_file, confidence, candidates }: Omit<EdgeRow, keyof EdgeUse>) =>
      void bind.run(target, target_file, confidence, candidates, id),
    dropEdge: (id: number) => void dropOne.run(id),
    leadImport: (id: number, target: string | null) => void lead.run(target, id),
  }
}

type EdgeUse = Pick<
  EdgeRow,
  'file' | 'source' | 'kind' | 'name' | 'qualifier' | 'receiver' | 'line' | 'count'
>
