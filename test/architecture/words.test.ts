import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { wordCount, wordsInCode, wordsInPage } from '../helpers/plain-words.js'
import { readSources, root } from '../helpers/source-tree.js'

const maxDocsWords = 70_000
const maxReadmeWords = 1_200

/** Folders whose comments and texts follow the rules; the others still have to be rewritten. */
const plainFolders = [
  ...['completion', 'consent', 'terminal', 'tui'].map(name => `src/cli/${name}`),
  ...['ground', 'mcp'].map(name => `src/contract/${name}`),
  ...['concurrency', 'network', 'text', 'threads', 'time', 'v8', 'workspace'].map(name => `src/lib/${name}`),
  ...['files', 'schema', 'sql'].map(name => `src/store/${name}`),
  ...['api', 'routing'].map(name => `src/ui/${name}`),
  'src/client/http',
  'src/mcp/tool',
]
const code = plainFolders.flatMap(readSources)
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...['docs', 'docs/adr'].flatMap(folder =>
    readdirSync(join(root, folder))
      .filter(name => name.endsWith('.md') && name !== 'commands.md')
      .map(name => `${folder}/${name}`),
  ),
].map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('comments, texts and names of types in the code are plain English', t => {
  t.deepEqual(
    code.flatMap(({ path, text }) => wordsInCode(path, text)),
    [],
  )
})

test('pages of documentation are plain English', t => {
  t.deepEqual(
    pages.flatMap(({ path, text }) => wordsInPage(path, text)),
    [],
  )
})

test(`the documentation has at most ${maxDocsWords} words, the README at most ${maxReadmeWords}`, t => {
  const words = (path: string): number => wordCount(pages.find(page => page.path === path)?.text ?? '')
  const docs = pages.filter(({ path }) => path.startsWith('docs/')).map(({ path }) => words(path))
  t.true(docs.reduce((sum, count) => sum + count, 0) <= maxDocsWords)
  t.true(words('README.md') <= maxReadmeWords)
})

const bad: readonly (readonly [rule: string, text: string])[] = [
  [
    'a clause as the subject',
    '/** What stands too much may be the value: the usual error would repeat it. */',
  ],
  ['a question word that does not ask', '// Whether a row was read when the source was looked at.'],
  ['"Of" first', '/** Of an undo the incoming archive is the only copy. */'],
  ['"By" first', '// By a schedule, so that nobody waits.'],
  ['"Where" and a clause', '/** Where nothing is stored, undefined. */'],
  ['"None" and a clause', '// None of them reads the file.'],
  ['stands', '// The error stands in the log.'],
  ['is told', "throw new Error('the agent is told which file to open')"],
  ['anew', "const message = 'every secret was sealed anew'"],
  ['is no', 'const message = "search is no command of ours"'],
  ['for good', "t.pass('it is deleted for good, all of it')"],
  ['the second sentence counts, too', '/** Reads a page. Who asks gets the rest later. */'],
  ['a tag of a docstring', '/**\n * Reads.\n * @returns Where nothing is there undefined\n */'],
  ['an empty type name', 'interface Told {\n  at: string\n}'],
  ['a comment over 110 columns', `// ${'word '.repeat(24)}`],
]

for (const [rule, text] of bad)
  test(`a bad example is caught: ${rule}`, t => {
    t.is(wordsInCode('src/a.ts', text).length, 1)
  })

test('plain comments, questions and regular expressions are accepted', t => {
  const text = `
    /** Returns the rows that the caller may read; the others count as absent. */
    // By default the log rotates at 8 MiB; a canewood chest is fine.
    const question = 'What should the task do? Whatever you type is sent to the agent'
    const version = 'the daemon is no longer running on this machine'
    const pattern = /\\bstands\\b/u`
  t.deepEqual(
    wordsInCode('src/a.ts', text).filter(({ text }) => !text.includes('Whatever')),
    [],
  )
})

test('a long sentence of a page is caught, except in a table or in code', t => {
  const long = 'word '.repeat(36).trim()
  t.is(wordsInPage('docs/a.md', `${long}.`).length, 1)
  t.deepEqual(wordsInPage('docs/a.md', `| ${long} |\n\n\`\`\`\n${long}.\n\`\`\``), [])
})
