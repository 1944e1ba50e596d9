import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'
import { nodesIn, type SyntaxNode, syntaxOf } from '../helpers/syntax-tree.js'

/** SQL that other databases do not support, or interpret differently; `?` stands for a template value. */
const words: Readonly<Record<string, RegExp>> = {
  'JSON functions': /\bjsonb?_\w+\(|->/iu,
  'IS between values': /\bIS\s+(?:NOT\s+)?(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)\S/u,
  rowid: /\browid\b/iu,
  pragmas: /\bPRAGMA\b|\bBEGIN (?:EXCLUSIVE|IMMEDIATE|DEFERRED)\b/iu,
  'INDEXED BY': /\bINDEXED\b/u,
  'a plus before a column': /(?:^|[\s(,])\+[\w"?]/u,
  'CROSS JOIN': /\bCROSS JOIN\b/iu,
  'time functions': /\b(?:julianday|strftime|unixepoch|datetime|timediff)\(/iu,
  'SQLite functions':
    /\b(?:instr|iif|ifnull|group_concat|printf|typeof|total|hex|unhex|char|unicode|quote|glob|random|randomblob|zeroblob|changes|total_changes|last_insert_rowid)\(/iu,
  'MIN or MAX of several values': /\b(?:min|max)\((?:[^(),]|\([^()]*\))+,/iu,
  'OR IGNORE and similar': /\bOR (?:IGNORE|REPLACE|ABORT|FAIL|ROLLBACK)\b|\bREPLACE INTO\b/iu,
  'an update without a named conflict': /\bON CONFLICT DO UPDATE\b/iu,
  'text matching': /\b(?:GLOB|LIKE|MATCH|REGEXP|COLLATE)\b/u,
  'the catalogue': /\bsqlite_\w+/u,
  maintenance: /\b(?:VACUUM|ATTACH|ANALYZE|REINDEX)\b/u,
  '==': /\s==\s/u,
}

/** Methods of the driver and of Kysely that produce such SQL. */
const methods = new Set(['pragma', 'replaceInto', 'orIgnore', 'orReplace', 'orAbort', 'orFail', 'orRollback'])

const sources = readSources('src')

test('SQL that only SQLite understands comes from one module or from migrations', t => {
  t.deepEqual(dialectIn(sources), [])
})

/** Code of a table file for each word, in every form it can be written. */
const examples: readonly (readonly [word: string, code: string])[] = [
  ['JSON functions', `sql\`SELECT id FROM m WHERE id IN (SELECT value FROM json_each(\${ids}))\``],
  ['JSON functions', "sql`structured ->> '$.a'`"],
  ['IS between values', `sql\`a IS \${b}\``],
  ['IS between values', "sql`a IS NOT 'b'`"],
  ['IS between values', "db.selectFrom('m').where('project', 'is not', project)"],
  ['rowid', "sql.ref('m.rowid')"],
  ['pragmas', "connection.exec('PRAGMA synchronous = FULL')"],
  ['pragma()', "connection.pragma('journal_mode = WAL')"],
  ['INDEXED BY', 'sql`SELECT id FROM m INDEXED BY m_hash`'],
  ['a plus before a column', 'sql`id = 1 AND +is_deleted = 0`'],
  ['a plus before a column', `sql\`+\${column}\``],
  ['CROSS JOIN', 'sql`FROM a CROSS JOIN b ON b.id = a.id`'],
  ['time functions', `sql\`julianday(\${now})\``],
  ['SQLite functions', `sql.raw(\`\${columns}, iif(a, b, null)\`)`],
  ['MIN or MAX of several values', `sql\`1 / (1 + MAX(0, f(\${a}) - f(b)))\``],
  ['MIN or MAX of several values', "eb.fn<string>('max', [eb.ref('a'), eb.val(b)])"],
  ['OR IGNORE and similar', 'sql`INSERT OR IGNORE INTO m VALUES (1)`'],
  ['replaceInto()', "db.replaceInto('m')"],
  ['an update without a named conflict', 'sql`ON CONFLICT DO UPDATE SET a = 1`'],
  ['text matching', "sql`name LIKE 'a%'`"],
  ['the catalogue', 'sql`SELECT name FROM sqlite_schema`'],
  ['maintenance', "connection.exec('VACUUM')"],
  ['==', `sql\`a == \${b}\``],
]

const inTable = (code: string): string => `import { sql } from 'kysely'\n${code}`

test('SQLite-specific SQL is caught in every form', t => {
  const files = examples.map(([, code], at) => [`src/store/tables/${at}.ts`, inTable(code)] as const)
  t.deepEqual(
    dialectIn(sourceTree(Object.fromEntries(files))),
    examples.map(([word], at) => `src/store/tables/${at}.ts: ${word}`),
  )
  const shown = new Set(examples.map(([word]) => word))
  t.deepEqual(
    Object.keys(words).filter(word => !shown.has(word)),
    [],
  )
})

test('plain SQL, the module and migrations are accepted', t => {
  const every = inTable(examples.map(([, code]) => code).join('\n'))
  const plain = inTable(`
    sql\`SELECT max(a), octet_length(b), 1 + \${c} FROM m JOIN n ON n.a = m.a
      WHERE a IS NOT NULL AND b IS DISTINCT FROM \${d} ON CONFLICT (a) DO UPDATE SET b = 1 RETURNING a\`
    db.where('a', 'is not', null).where('b', 'is not distinct from', b) // json_each`)
  const files = sourceTree({
    'src/store/tables/plain.ts': plain,
    'src/store/sql/dialect.ts': every,
    'src/store/migrations/0001-a.ts': every,
    'src/lib/message.ts': "throw new Error('it IS so')",
  })
  t.deepEqual(dialectIn(files), [])
})

test('only the start of the daemon and the operations on storage know which database it is', t => {
  t.deepEqual(knowing(sources), [])
  const example = sourceTree({
    'src/daemon/memory/a.ts': 'if (settings.storage.postgres) save()',
    'src/daemon/memory/b.ts': "import { openPostgres } from '../../store/postgres/database.js'",
    'src/daemon/memory/c.ts': 'return store.server ? 1 : 2',
    'src/daemon/memory/d.ts': "import { sql } from '../../store/sql/dialect.js'",
    'src/store/postgres/database.ts': '',
  })
  t.deepEqual(knowing(example), [
    'src/daemon/memory/a.ts',
    'src/daemon/memory/b.ts',
    'src/daemon/memory/c.ts',
  ])
})

/** Files of the daemon that ask which database it is; the status shows its place. */
function knowing(files: readonly SourceFile[]): string[] {
  const may = /^src\/daemon\/(?:process\/open-store|operations\/(?:storage\/.*|system\/status))\.ts$/u
  return files
    .filter(({ path }) => path.startsWith('src/daemon/') && !may.test(path))
    .filter(
      ({ text, imports }) =>
        /\bstorage\.postgres\b|\bstore\.server\b/u.test(text) ||
        imports.some(({ specifier }) => specifier.includes('store/postgres/')),
    )
    .map(({ path }) => path)
}

/** Files with SQL outside the module and the migrations, each with the words it uses. */
function dialectIn(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, imports }) => {
      if (/^src\/store\/(?:sql|migrations|sqlite\/connection)\//u.test(path)) return false
      return (
        path.startsWith('src/store/tables/') ||
        imports.some(({ target }) => target === 'kysely' || target === 'better-sqlite3')
      )
    })
    .flatMap(file =>
      [...new Set(nodesIn(syntaxOf(file)).flatMap(wordsOf))].map(word => `${file.path}: ${word}`),
    )
}

function wordsOf(node: SyntaxNode): string[] {
  if (node.type === 'CallExpression') return wordsOfCall(node)
  const text = textOf(node)
  return text === undefined ? [] : Object.keys(words).filter(word => words[word]?.test(text))
}

/** The text of a literal, with `?` for each template value; undefined for other nodes. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'StringLiteral') return node.value as string
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('?')
}

function wordsOfCall(node: SyntaxNode): string[] {
  const { property } = node.callee as { property?: { name?: string } }
  const [first, second, third] = node.arguments as SyntaxNode[]
  const found = methods.has(property?.name ?? '') ? [`${property?.name}()`] : []
  if (/^is(?: not)?$/u.test(literalOf(second)) && third?.type !== 'NullLiteral')
    found.push('IS between values')
  const values = second?.type === 'ArrayExpression' ? (second.elements as unknown[]) : []
  if (/^(?:min|max)$/iu.test(literalOf(first)) && values.length > 1)
    found.push('MIN or MAX of several values')
  return found
}

function literalOf(node: SyntaxNode | undefined): string {
  return node?.type === 'StringLiteral' ? (node.value as string) : ''
}
