import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { codeDatabase, makeIndexFolder } from '../../src/daemon/knowledge/code/index/indexing/index-folder.js'
import { runIndex } from '../../src/daemon/knowledge/code/index/indexing/run-index.js'
import type { RunReport, RunRequest } from '../../src/daemon/knowledge/code/index/indexing/run-request.js'
import { createGrammars } from '../../src/daemon/knowledge/code/index/parsing/grammars.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { unboundReads } from '../../src/store/tables/knowledge/code-lookups.js'
import { indexesIn } from './indexed-project.js'

// The indexing process sets this too; otherwise V8 spends seconds compiling the grammars.
setFlagsFromString('--liftoff-only')
const grammars = createGrammars()

export function putCode(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Indexes a project in this process. */
export function indexHere(root: string, request: Partial<RunRequest> = {}): Promise<RunReport> {
  makeIndexFolder(codeDatabase(root))
  const whole = { root, database: codeDatabase(root), paths: null, blamed: [], processorMs: 20_000 }
  return runIndex(
    { ...whole, ...request },
    { grammars, reading: () => undefined, onProgress: () => undefined },
  )
}

/** Path of the project's index, whatever workspace made it. */
function databaseIn(root: string): string {
  return join(root, '.memory-service', indexesIn(root)[0] ?? 'no index')
}

function rowsOf<Row>(root: string, statement: string): Row[] {
  const connection = new BetterSqlite(databaseIn(root), { readonly: true })
  try {
    return connection.prepare<[], Row>(statement).all()
  } finally {
    connection.close()
  }
}

/** Symbols of a project as `kind name`, with a plus before exported ones and their value at the end. */
export function symbolsIn(root: string): string[] {
  return rowsOf<{ kind: string; qualified_name: string; exported: number; value: string | null }>(
    root,
    `SELECT kind, qualified_name, exported, value FROM symbols JOIN files ON files.id = file
     ORDER BY path, start_line, symbols.id`,
  ).map(({ kind, qualified_name: name, exported, value }) =>
    [exported ? '+' : '', kind, ' ', name, value === null ? '' : ` = ${value}`].join(''),
  )
}

/** Edges as `source kind target, confidence`, sorted as text; edges without a target are omitted. */
export function edgesIn(root: string, kinds: readonly string[] = ['call', 'inherit', 'import']): string[] {
  return rowsOf<
    Record<'file' | 'source' | 'kind' | 'name' | 'confidence' | 'target' | 'path', string | null>
  >(
    root,
    `SELECT f.path AS file, s.qualified_name AS source, e.kind, e.name, e.confidence, t.qualified_name AS target,
       tf.path AS path
     FROM edges e JOIN files f ON f.id = e.file LEFT JOIN symbols s ON s.id = e.source
       LEFT JOIN symbols t ON t.id = e.target LEFT JOIN files tf ON tf.id = t.file
     WHERE e.confidence <> 'unresolved'
     UNION ALL SELECT f.path, NULL, 'import', i.specifier, 'certain', NULL, tf.path
     FROM (SELECT DISTINCT file, specifier, target FROM imports WHERE NOT (specifier = '.' AND exported = 1)) i
       JOIN files f ON f.id = i.file JOIN files tf ON tf.path = i.target`,
  )
    .filter(({ kind }) => kinds.includes(kind ?? ''))
    .map(({ file, source, kind, name, confidence, target, path }) => {
      const end = confidence === 'ambiguous' ? `${name}?` : [target, path].filter(Boolean).join(' @ ')
      return `${source ?? file} ${kind} ${end}${confidence === 'likely' ? ', likely' : ''}`
    })
    .sort()
}

/** Files that were not fully indexed, with their reasons. */
export function refusedIn(root: string): Record<string, string> {
  const rows = rowsOf<{ path: string; status: string; reason: string }>(
    root,
    "SELECT path, status, reason FROM files WHERE status <> 'indexed' ORDER BY path",
  )
  return Object.fromEntries(rows.map(({ path, status, reason }) => [path, `${status}: ${reason}`]))
}

/** Uses that are bound to no symbol, as `path kind name`. */
export function unboundIn(root: string): string[] {
  const connection = new BetterSqlite(databaseIn(root), { readonly: true })
  try {
    const { unboundIn: uses, filesUsing } = unboundReads(connection)
    const files = connection.prepare<[], { id: number; path: string }>(
      'SELECT id, path FROM files ORDER BY path',
    )
    return files.all().flatMap(({ id, path }) =>
      uses(id).map(({ kind, name }) => {
        const isFound = filesUsing(name, Number.MAX_SAFE_INTEGER).includes(id)
        return `${path} ${kind} ${name}${isFound ? '' : ', not found by its name'}`
      }),
    )
  } finally {
    connection.close()
  }
}

/** Overwrites the status of a file in the index and clears its hash. */
export function changeFile(
  root: string,
  path: string,
  { status, reason }: { status: string; reason: string },
): void {
  const connection = new BetterSqlite(databaseIn(root))
  connection
    .prepare('UPDATE files SET status = ?, reason = ?, hash = NULL WHERE path = ?')
    .run(status, reason, path)
  connection.close()
}

/** Number of files indexed so far. */
export function filesIn(root: string): number {
  const [row] = rowsOf<{ files: number }>(
    root,
    "SELECT count(*) AS files FROM files WHERE status = 'indexed'",
  )
  return row?.files ?? 0
}
