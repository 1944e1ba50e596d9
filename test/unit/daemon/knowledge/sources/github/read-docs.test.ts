// runs: in turn

import test from 'ava'
import { cpuMsOfTurns } from '../../../../../helpers/cpu-time.js'
import { startGithub } from '../../../../../helpers/github-fake.js'
import { emptyLibrary, eventsOf, pathsOf, readOnce } from '../../../../../helpers/github-reading.js'

const docs = { resourceTypes: ['docs' as const] }
const blobs = (asked: readonly string[]) => asked.filter(path => path.includes('/git/blobs/')).length

test('only Markdown files that match the globs are read from the tree', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      branch: 'release/2',
      files: {
        'README.md': '```\n# no title\n```\n# The *crane*\n\nIt lifts.',
        'docs/a b.md': 'No heading.',
        'docs/image.png': 'PNG',
        'docs/link.md': '-> ../README.md',
        'src/code.ts': 'x',
        'notes/n.MD': 'Not named.',
      },
    },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: { ...docs, docPaths: ['readme.md', 'docs/**'] } })
  t.deepEqual(pathsOf(library), ['octo/site/docs/README.md', 'octo/site/docs/docs/a b.md'])
  t.like(library.rows.get('octo/site/docs/README.md'), { kind: 'doc', title: 'The *crane*', updatedAt: null })
  t.like(library.rows.get('octo/site/docs/docs/a b.md'), {
    title: 'docs/a b.md',
    text: 'No heading.',
    url: `${github.url}/octo/site/blob/release/2/docs/a%20b.md`,
  })
})

test('only files with a new hash are fetched, and missing ones are removed', async t => {
  const github = await startGithub(t, { 'octo/site': { files: { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' } } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: docs })
  t.is(blobs(github.asked()), 3)
  const { files } = github.repo('octo/site')
  files.set('b.md', Buffer.from('B, changed'))
  files.delete('c.md')
  await readOnce(github.base, library, { settings: docs })
  t.is(blobs(github.asked()), 4)
  t.deepEqual(pathsOf(library), ['octo/site/docs/a.md', 'octo/site/docs/b.md'])
  t.is(library.rows.get('octo/site/docs/b.md')?.text, 'B, changed')
})

test('a truncated tree is read as far as it goes, reported, and removes nothing', async t => {
  const github = await startGithub(t, { 'octo/site': { files: { 'a.md': 'A', 'b.md': 'B' } } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: docs })
  const repo = github.repo('octo/site')
  repo.isTruncated = true
  repo.files.delete('a.md')
  repo.files.set('c.md', Buffer.from('C'))
  const read = await readOnce(github.base, library, { settings: docs })
  t.deepEqual(pathsOf(library), ['octo/site/docs/a.md', 'octo/site/docs/b.md', 'octo/site/docs/c.md'])
  t.is(eventsOf(read, 'partial').length, 1)
  t.regex(eventsOf(read, 'fault')[0]?.message ?? '', /only part of the files of octo\/site/u)
  t.true(eventsOf(read, 'checkpoint').at(-1)?.isPartial)
})

test('a too large or refused file is a fault, keeps its row and is requested again', async t => {
  const github = await startGithub(t, { 'octo/site': { files: { 'a.md': 'A', 'b.md': 'B' } } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: docs })
  const { files } = github.repo('octo/site')
  files.set('a.md', Buffer.alloc(1024 * 1024 + 1, 'a'))
  files.set('b.md', Buffer.from('B, changed'))
  github.intercept = ({ path }, response) => {
    if (!path.includes('/git/blobs/')) return false
    response.writeHead(403).end('{"message":"Resource not accessible by personal access token"}')
    return true
  }
  const read = await readOnce(github.base, library, { settings: docs })
  t.deepEqual(
    eventsOf(read, 'fault').map(({ path }) => path),
    ['octo/site/docs/a.md', 'octo/site/docs/b.md'],
  )
  t.is(library.rows.get('octo/site/docs/b.md')?.text, 'B')
  github.intercept = undefined
  await readOnce(github.base, library, { settings: docs })
  t.is(library.rows.get('octo/site/docs/b.md')?.text, 'B, changed')
  t.is(library.rows.get('octo/site/docs/a.md')?.text, 'A')
})

test('a repository without commits has no documentation and no fault', async t => {
  const github = await startGithub(t, { 'octo/site': {} })
  const read = await readOnce(github.base, emptyLibrary(), { settings: docs })
  t.deepEqual(eventsOf(read, 'fault'), [])
})

test('at most the configured number of files is read', async t => {
  const github = await startGithub(t, { 'octo/site': { files: { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' } } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: { ...docs, maxItemsPerRepo: 2 } })
  t.deepEqual(pathsOf(library), ['octo/site/docs/a.md', 'octo/site/docs/b.md'])
})

test('selecting files of a tree yields to the event loop', async t => {
  const names = Array.from({ length: 250 }, (_, at) => `${'a'.repeat(90)}${at}.md`)
  const files = Object.fromEntries(names.map(name => [name, 'A']))
  const github = await startGithub(t, { 'octo/site': { files } })
  const library = emptyLibrary()
  const settings = { ...docs, docPaths: ['*a*a*a*b.md'] }
  const longest = (await cpuMsOfTurns(readOnce(github.base, library, { settings }))).at(-1) ?? 0
  t.deepEqual(pathsOf(library), [])
  t.true(longest < 600, `held for ${longest} ms`)
})
