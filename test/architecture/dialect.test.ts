import test from 'ava'
import { readSources, type SourceFile, sourceTree } from '../helpers/source-tree.js'
import { nodesIn, type SyntaxNode, syntaxOf } from '../helpers/syntax-tree.js'

/** What another database does not understand, or understands otherwise; `?` stands for what a template is given. */
const words: Readonly<Record<string, RegExp>> = {
  'functions of JSON': /\bjsonb?_\w+\(|->/iu,
  'IS between values': /\bIS\s+(?:NOT\s+)?(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)\S/u,
  rowid: /\browid\b/iu,
  pragmas: /\bPRAGMA\b|\bBEGIN (?:EXCLUSIVE|IMMEDIATE|DEFERRED)\b/iu,
  'INDEXED BY': /\bINDEXED\b/u,
  'a plus before a column': /(?:^|[\s(,])\+[\w"?]/u,
  'CROSS JOIN': /\bCROSS JOIN\b/iu,
  'functions of time': /\b(?:julianday|strftime|unixepoch|datetime|timediff)\(/iu,
  'functions of SQLite':
    /\b(?:instr|iif|ifnull|group_concat|printf|typeof|total|hex|unhex|char|unicode|quote|glob|random|randomblob|zeroblob|changes|total_changes|last_insert_rowid)\(/iu,
  'MIN or MAX of values': /\b(?:min|max)\((?:[^(),]|\([^()]*\))+,/iu,
  'OR IGNORE and its like': /\bOR (?:IGNORE|REPLACE|ABORT|FAIL|ROLLBACK)\b|\bREPLACE INTO\b/iu,
  'an update on no named conflict': /\bON CONFLICT DO UPDATE\b/iu,
  'matching of texts': /\b(?:GLOB|LIKE|MATCH|REGEXP|COLLATE)\b/u,
  'the catalogue': /\bsqlite_\w+/u,
  maintenance: /\b(?:VACUUM|ATTACH|ANALYZE|REINDEX)\b/u,
  '==': /\s==\s/u,
}

/** Methods of the driver and of Kysely that make such words. */
const methods = new Set(['pragma', 'replaceInto', 'orIgnore', 'orReplace', 'orAbort', 'orFail', 'orRollback'])

const sources = readSources('src')

test('words that only SQLite understands come from one module, and stand in migrations', t => {
  t.deepEqual(dialectIn(sources), [])
})

/** A file of a table with each word, and how else it may be written. */
const examples: readonly (readonly [word: string, code: string])[] = [
  ['functions of JSON', `sql\`SELECT id FROM m WHERE id IN (SELECT value FROM json_each(\${ids}))\``],
  ['functions of JSON', "sql`structured ->> '$.a'`"],
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
  ['functions of time', `sql\`julianday(\${now})\``],
  ['functions of SQLite', `sql.raw(\`\${columns}, iif(a, b, null)\`)`],
  ['MIN or MAX of values', `sql\`1 / (1 + MAX(0, f(\${a}) - f(b)))\``],
  ['MIN or MAX of values', "eb.fn<string>('max', [eb.ref('a'), eb.val(b)])"],
  ['OR IGNORE and its like', 'sql`INSERT OR IGNORE INTO m VALUES (1)`'],
  ['replaceInto()', "db.replaceInto('m')"],
  ['an update on no named conflict', 'sql`ON CONFLICT DO UPDATE SET a = 1`'],
  ['matching of texts', "sql`name LIKE 'a%'`"],
  ['the catalogue', 'sql`SELECT name FROM sqlite_schema`'],
  ['maintenance', "connection.exec('VACUUM')"],
  ['==', `sql\`a == \${b}\``],
]

const inTable = (code: string): string => `import { sql } from 'kysely'\n${code}`

test('a word of SQLite is caught, however it is written', t => {
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

test('plain SQL, the module and the migrations may say what they do', t => {
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

/** Files with SQL outside of the module and the migrations, each with what it uses. */
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

/** What a text says, with `?` for each value it is given; undefined for other nodes. */
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
  if (/^(?:min|max)$/iu.test(literalOf(first)) && values.length > 1) found.push('MIN or MAX of values')
  return found
}

function literalOf(node: SyntaxNode | undefined): string {
  return node?.type === 'StringLiteral' ? (node.value as string) : ''
}
