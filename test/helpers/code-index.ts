import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { IndexPlace } from '../../src/daemon/knowledge/code/read/open-index.js'
import { wordsOfName } from '../../src/lib/text/names.js'
import { openOrCreateCodeFile, writeAbout } from '../../src/store/tables/knowledge/code-file.js'
import { type UnboundUse, unboundWrites } from '../../src/store/tables/knowledge/code-lookups.js'
import type { Confidence, EdgeKind, SymbolKind } from '../../src/store/tables/knowledge/code-rows.js'
import { temporaryFolder } from './temporary-folder.js'

/** A symbol of a test project: its path, its qualified name, and the fields that matter to the test. */
export interface GivenSymbol {
  path: string
  name: string
  kind?: SymbolKind
  doc?: string
  value?: string
  exported?: boolean
}

/** An edge between symbols by qualified name; for an ambiguous edge `to` lists the candidates. */
export interface GivenEdge {
  from: string
  to: string | readonly string[]
  kind?: EdgeKind
  confidence?: Confidence
}

/** Creates the index of a project as its indexer would write it. */
export function indexOf(
  t: ExecutionContext,
  symbols: readonly GivenSymbol[],
  edges: readonly GivenEdge[] = [],
): IndexPlace {
  const root = temporaryFolder(t, 'memory-code')
  const file = join(root, 'code.db')
  const connection = openOrCreateCodeFile(file)
  const files = new Map<string, number>()
  const ids = new Map<string, number>()
  const addFile = connection.prepare(
    `INSERT INTO files (path, language, parser, hash, size, mtime_ms, lines, status)
     VALUES (?, 'typescript', 'tree-sitter', 'h', 1, 1, 100, 'indexed')`,
  )
  const addSymbol = connection.prepare(
    `INSERT INTO symbols (file, parent, kind, name, name_folded, qualified_name, signature, doc, value, exported, start_line, end_line)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addWords = connection.prepare(
    'INSERT INTO words (rowid, name, signature, doc, path) VALUES (?, ?, ?, ?, ?)',
  )
  const addEdge = connection.prepare(
    `INSERT INTO edges (file, source, kind, name, line, count, target, confidence, candidates)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)`,
  )
  for (const [
    at,
    { path, name: qualified, kind = 'function', doc, value, exported = true },
  ] of symbols.entries()) {
    if (!files.has(path)) files.set(path, Number(addFile.run(path).lastInsertRowid))
    const [name = '', ...outer] = qualified.split('.').toReversed()
    const parent = ids.get(outer.toReversed().join('.')) ?? null
    const signature = `${kind} ${name}()`
    const { lastInsertRowid: id } = addSymbol.run(
      ...[files.get(path), parent, kind, name, name.toLowerCase(), qualified, signature],
      ...[doc ?? null, value ?? null, exported ? 1 : 0, at * 10 + 1, at * 10 + 5],
    )
    ids.set(qualified, Number(id)).set(`${path}:${qualified}`, Number(id))
    const words = (text: string) => [...wordsOfName(text), wordsOfName(text).join('')].join(' ')
    addWords.run(id, words(name), signature, doc ?? '', words(path))
  }
  const addImport = connection.prepare(
    `INSERT INTO imports (file, specifier, name, local, exported, line, target) VALUES (?, ?, ?, ?, 0, 7, ?)`,
  )
  const unbound = new Map<number, UnboundUse[]>()
  for (const { from, to, kind = 'call', confidence = 'certain' } of edges) {
    const ends = [to].flat().map(name => ids.get(name))
    const source = ids.get(from) ?? null
    const path = symbols.find(({ name }) => name === from)?.path ?? from
    const isSure = confidence === 'certain' || confidence === 'likely'
    const name = [to].flat()[0]?.split('.').at(-1) ?? ''
    const file = files.get(path) as number
    if (kind === 'import') {
      const target = symbols.find(one => one.name === to)?.path
      addImport.run(file, target, name, name, target)
      continue
    }
    if (confidence === 'unresolved') {
      const use = { kind, name, qualifier: null, receiver: null, line: 7, count: 1, source }
      unbound.set(file, [...(unbound.get(file) ?? []), use])
      continue
    }
    addEdge.run(
      ...[file, source, kind, name, 7, isSure ? ends[0] : null, confidence],
      isSure ? null : JSON.stringify(ends),
    )
  }
  for (const [file, uses] of unbound) unboundWrites(connection).settleUnbound(file, uses)
  writeAbout(connection, { state: 'ready', startedAt: 'then', finishedAt: '2026-01-01T00:00:00.000Z' })
  connection.close()
  return { root, file }
}
