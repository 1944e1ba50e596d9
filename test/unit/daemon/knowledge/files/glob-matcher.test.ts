// runs: alone

import { spawn } from 'node:child_process'
import test from 'ava'
import picomatch from 'picomatch'
import { globMatcher } from '../../../../../src/daemon/knowledge/files/glob-matcher.js'
import { createPathFilter } from '../../../../../src/daemon/knowledge/files/list-files.js'
import { clip } from '../../../../../src/lib/text/clip.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const long = `${'a'.repeat(240)}.md`
const deep = `${'a/'.repeat(1500)}c.md`

for (const [glob, path] of [
  [`${'*a'.repeat(12)}b.md`, long],
  [`${'**/a/'.repeat(8)}b.md`, deep],
  [`${'{a,a}'.repeat(40)}b.md`, long],
  [`${'{a,a,a,a,a,a,a,a,{a}}'.repeat(12)}b.md`, long],
  [`${'{**/a,x}/'.repeat(8)}b.md`, deep],
  ['(a+)+b.md', long],
  [`${'(a|a)'.repeat(40)}b.md`, long],
  [`${'{**,x}a'.repeat(9)}b.md`, deep],
  ['{a,a}+b.md', long],
  [`${'[a]+'.repeat(12)}b.md`, long],
] as const)
  test(`a path that ${clip(glob, 30)} would try endlessly is refused (connectors.md#settings)`, t => {
    const tried = (): unknown => globMatcher([glob])(path)
    const ms = cpuMsOf(() => t.throws(tried, { message: /take too long for the file/u }))
    t.true(ms < 1000, `${ms} ms`)
  })

test('globs match correctly, whatever they cost', t => {
  const takes = globMatcher(['docs/**/*-*-*-*-*.{md,mdx}', '*.txt'])
  t.true(takes('docs/one/two/a-b-c-d-e.mdx'))
  t.true(takes('docs/a-long-name-of-many-words-in-a-row-that-is-cut-in-more-ways-than-are-quick.md'))
  t.true(takes('notes.txt'))
  t.false(takes('docs/a-b-c.md'))
  t.false(takes('below/notes.txt'))
  const { ignores } = createPathFilter({ patterns: ['**/*'], ignorePatterns: ['node_modules', 'drafts/**'] })
  t.true(ignores('a/node_modules', 'node_modules'))
  t.true(ignores('drafts/.hidden', '.hidden'))
  t.false(ignores('a/drafts', 'drafts'))
})

test('ordinary globs are matched without a time limit', t => {
  const takes = globMatcher(['**/.*/**/*.{md,canvas}', '**/*.{md,mdx,markdown,mdown,mkd,txt}'])
  const ms = cpuMsOf(() => {
    for (let at = 0; at < 2000; at++)
      t.true(takes(`Projects/2026/A folder of some length/Notes of the meeting ${at}.md`))
  })
  t.true(ms < 1000, `${ms} ms`)
})

const ordinary = [
  '{docs/**,guides/**}',
  'docs/{guides/**,api/**}/*.md',
  'packages/(a|b)/*.md',
  '{src,docs/{guides,api}}/**/*.{md,mdx}',
  '(docs|guides)/**/*.md',
  '{**/docs,guides}/**/*.md',
]
for (const glob of ordinary)
  test(`${glob} matches as before, at the speed of picomatch`, t => {
    const paths = Array.from({ length: 20_000 }, (_, at) => {
      const top = ['docs/guides', 'guides', 'docs/api', 'packages/a', 'src/x', 'packages/c'][at % 6]
      return `${top}/Some folder ${at % 7}/A name of some length ${at}.md`.replace(/ folder 0\/A/u, '')
    })
    const takes = globMatcher([glob])
    const plain = picomatch(glob, { noextglob: true })
    const expected = paths.map(path => plain(path))
    const taken: boolean[] = []
    const ms = cpuMsOf(() => {
      for (const path of paths) taken.push(takes(path))
    })
    t.true(ms < 1500, `${ms} ms`)
    t.deepEqual(taken, expected)
    t.true(taken.includes(false))
  })

// Windows has no signals that suspend and resume a process.
const onPosix = process.platform === 'win32' ? test.skip : test
onPosix('a busy machine does not abort a match', t => {
  const pauses = 'for i in 1 2 3 4 5 6 7 8; do sleep .05; kill -STOP $0; sleep .15; kill -CONT $0; done'
  const busy = spawn('sh', ['-c', pauses, String(process.pid)], { stdio: 'ignore' })
  t.teardown(() => busy.kill())
  const takes = globMatcher(['*-*-*-*-*.md'])
  const path = 'a-long-name-of-many-words-in-a-row-that-is-cut-in-more-ways-than-are-quick.md'
  for (const startedAt = performance.now(); performance.now() - startedAt < 1700; ) takes(path)
  t.true(takes(path))
})
