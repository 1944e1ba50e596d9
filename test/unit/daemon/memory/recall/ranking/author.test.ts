import test from 'ava'
import { authorEvidence } from '../../../../../../src/daemon/memory/recall/ranking/author.js'
import { factsOf, valuesOf } from './sample-context.js'

function boosted(query: string, ...authors: (string | null)[]): string[] {
  const facts = factsOf(Object.fromEntries(authors.map((who, i) => [String(i), { who }])))
  const own = new Map(authors.map((_, i) => [String(i), 0.5]))
  return [...valuesOf(authorEvidence, { query, facts, own }).keys()]
}

test('a query that names one author prefers rows by that author', t => {
  t.deepEqual(boosted("What is Ana's favourite editor?", 'Ana', 'Ben', 'Ana'), ['0', '2'])
})

test('author names match as whole words, ignoring case and accents', t => {
  t.deepEqual(boosted('what does josé think', 'Jose', 'Ben'), ['0'])
  t.deepEqual(boosted('banana bread', 'Ana', 'Ben'), [])
  t.deepEqual(boosted('claude settings', 'claude-code', 'codex'), [])
  t.deepEqual(boosted('what did claude code do', 'claude-code', 'codex'), ['0'])
})

test('a first name matches an author with several names', t => {
  t.deepEqual(boosted('where does Ana live', 'Ana Silva', 'Ben Okoro'), ['0'])
})

test('author names in scripts without spaces are found inside a sentence', t => {
  t.deepEqual(boosted('王芳喜欢什么编辑器', '王芳', '李伟'), ['0'])
})

test('two named authors or a single author change nothing', t => {
  t.deepEqual(boosted('What do Ana and Ben cook?', 'Ana', 'Ben', 'Eve'), [])
  t.deepEqual(boosted('What does Ana cook?', 'Ana', 'Ana'), [])
  t.deepEqual(boosted('What does Ana cook?', null, null), [])
})
