import test from 'ava'
import { choiceOf } from '../../../../../src/daemon/knowledge/files/choose-files.js'
import { globMatcher } from '../../../../../src/daemon/knowledge/files/glob-matcher.js'
import { clip } from '../../../../../src/lib/clip.js'

const long = `${'a'.repeat(240)}.md`
const deep = `${'a/'.repeat(1500)}c.md`

for (const [glob, path] of [
  [`${'*a'.repeat(12)}b.md`, long],
  [`${'**/a/'.repeat(8)}b.md`, deep],
  [`${'{a,a}'.repeat(40)}b.md`, long],
  [`${'{a,a,a,a,a,a,a,a,{a}}'.repeat(12)}b.md`, long],
  [`${'{**/a,x}/'.repeat(8)}b.md`, deep],
  ['(a+)+b.md', long],
] as const)
  test(`a path that ${clip(glob, 30)} could try for ever is given up (connectors.md#settings)`, t => {
    const startedAt = performance.now()
    t.throws(() => globMatcher([glob])(path), { message: /take too long for the file/u })
    t.true(performance.now() - startedAt < 1000)
  })

test('globs take and leave out what they name, whatever they cost to match', t => {
  const takes = globMatcher(['docs/**/*-*-*-*-*.{md,mdx}', '*.txt'])
  t.true(takes('docs/one/two/a-b-c-d-e.mdx'))
  t.true(takes('docs/a-long-name-of-many-words-in-a-row-that-is-cut-in-more-ways-than-are-quick.md'))
  t.true(takes('notes.txt'))
  t.false(takes('docs/a-b-c.md'))
  t.false(takes('below/notes.txt'))
  const { ignores } = choiceOf({ patterns: ['**/*'], ignorePatterns: ['node_modules', 'drafts/**'] })
  t.true(ignores('a/node_modules', 'node_modules'))
  t.true(ignores('drafts/.hidden', '.hidden'))
  t.false(ignores('a/drafts', 'drafts'))
})

test('usual globs are matched without a clock', t => {
  const takes = globMatcher(['**/.*/**/*.{md,canvas}', '**/*.{md,mdx,markdown,mdown,mkd,txt}'])
  const startedAt = performance.now()
  for (let at = 0; at < 2000; at++)
    t.true(takes(`Projects/2026/A folder of some length/Notes of the meeting ${at}.md`))
  t.true(performance.now() - startedAt < 1000)
})
