import test from 'ava'
import { type GithubFake, startGithub } from '../../../../../helpers/github-fake.js'
import { madeComment, madeItem, minute } from '../../../../../helpers/github-fake-repo.js'
import { emptyLibrary, eventsOf, pathsOf, readOnce } from '../../../../../helpers/github-reading.js'

const issues = { resourceTypes: ['issues' as const], includeComments: false }
const numbers = (count: number) => Array.from({ length: count }, (_, at) => ({ number: at + 1 }))

test('issues, pull requests and comments are separate artifacts with text and address', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      items: [
        {
          number: 1,
          title: 'The crane squeaks',
          body: 'Oil it.',
          labels: ['bug', 'crane'],
          state: 'closed',
          reason: 'not_planned',
        },
        {
          number: 2,
          title: 'Oil the crane',
          body: null,
          isPull: true,
          state: 'closed',
          mergedAt: minute(5),
          author: null,
        },
      ],
      comments: [
        { id: 7, number: 1, body: 'Which oil?' },
        { id: 8, number: 2 },
      ],
      reviews: [{ id: 9, number: 2, body: 'Less of it.', path: 'src/crane.ts', line: 12 }],
    },
  })
  const library = emptyLibrary()
  const read = await readOnce(github.base, library)
  t.deepEqual(pathsOf(library), [
    'octo/site/comments/1/7',
    'octo/site/comments/2/8',
    'octo/site/issues/1',
    'octo/site/pulls/2',
    'octo/site/review-comments/2/9',
  ])
  t.like(library.rows.get('octo/site/issues/1'), {
    kind: 'issue',
    title: 'The crane squeaks',
    text: 'Issue octo/site#1, closed as not planned, opened by octocat, labels: bug, crane\n\nOil it.',
    names: ['#1', 'octo/site#1', 'bug', 'crane'],
    url: 'https://github.com/octo/site/issues/1',
    author: 'octocat',
    updatedAt: minute(1),
  })
  t.like(library.rows.get('octo/site/pulls/2'), {
    kind: 'pull-request',
    text: 'Pull request octo/site#2, merged',
  })
  t.like(library.rows.get('octo/site/comments/1/7'), {
    title: 'Comment on The crane squeaks',
    text: 'Comment on issue octo/site#1, by hubot\n\nWhich oil?',
    url: 'https://github.com/octo/site/issues/1#issuecomment-7',
  })
  t.is(
    library.rows.get('octo/site/review-comments/2/9')?.text,
    'Review comment on pull request octo/site#2, by hubot, on src/crane.ts line 12\n\nLess of it.',
  )
  t.deepEqual(eventsOf(read, 'fault'), [])
})

test('unchanged content costs one conditional request per resource', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: numbers(5), comments: [{ id: 1, number: 1 }], files: { 'README.md': '# Crane' } },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library)
  await readOnce(github.base, library)
  const [before, spent] = [github.requests.length, github.budget.remaining]
  const read = await readOnce(github.base, library)
  t.deepEqual(eventsOf(read, 'artifact'), [])
  // The name of the default branch is always requested, because it may have changed.
  t.is(github.requests.length - before, 5)
  t.is(spent - github.budget.remaining, 1)
})

test('an ETag is used only with the token it was issued to', async t => {
  const github = await startGithub(
    t,
    { 'octo/site': { items: numbers(1) } },
    { tokens: ['one-token', 'another-token'] },
  )
  const library = emptyLibrary()
  for (const token of ['one-token', 'one-token', 'another-token'])
    await readOnce(github.base, library, { settings: issues, token })
  const tags = github.requests.map(({ headers }) => headers['if-none-match'])
  t.is(tags.length, 3)
  t.is(tags[2], undefined)
})

test('a later pass requests changes since shortly before the last one', async t => {
  const github = await startGithub(t, { 'octo/site': { items: numbers(3) } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: issues })
  const [first] = github.repo('octo/site').items
  Object.assign(first as object, { body: 'Changed.', updatedAt: minute(10) })
  const read = await readOnce(github.base, library, { settings: issues })
  t.deepEqual(
    eventsOf(read, 'artifact').map(({ artifact }) => artifact.path),
    ['octo/site/issues/1'],
  )
  t.is(new URL(github.asked().at(-1)?.slice(4) ?? '', github.url).searchParams.get('since'), minute(1))
})

test('hundreds of issues are read without page numbers, which GitHub refuses', async t => {
  const github = await startGithub(t, { 'octo/site': { items: numbers(350) } })
  github.lastPage = 1
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: issues })
  t.is(library.rows.size, 350)
})

test('more changes in one second than fit a page are read with Link headers', async t => {
  const items = numbers(250).map(item => ({ ...item, updatedAt: minute(7) }))
  const github = await startGithub(t, { 'octo/site': { items } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: issues })
  t.is(library.rows.size, 250)
})

test('an issue that changes during paging hides no other issue', async t => {
  const github = await startGithub(t, { 'octo/site': { items: numbers(300) } })
  const changes: ((github: GithubFake) => void)[] = [
    () => Object.assign(github.repo('octo/site').items[3] as object, { updatedAt: minute(1000) }),
    () => github.repo('octo/site').items.splice(20, 1),
  ]
  github.intercept = () => {
    if (github.requests.length > 1) changes.pop()?.(github)
    return false
  }
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: issues })
  const known = pathsOf(library)
  t.deepEqual(
    github
      .repo('octo/site')
      .items.map(({ number }) => `octo/site/issues/${number}`)
      .filter(path => !known.includes(path)),
    [],
  )
})

test('deleted items are removed after a complete listing, once a day or on a full pass', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      items: numbers(3),
      comments: [
        { id: 5, number: 2 },
        { id: 6, number: 1 },
      ],
    },
  })
  const library = emptyLibrary()
  const start = new Date('2024-06-01T00:00:00Z')
  const after = (hours: number) => ({ clock: () => new Date(start.getTime() + hours * 3_600_000) })
  await readOnce(github.base, library, after(0))
  const repo = github.repo('octo/site')
  repo.items = repo.items.filter(({ number }) => number !== 2)
  repo.comments = []
  await readOnce(github.base, library, after(23))
  t.is(library.rows.size, 5)
  await readOnce(github.base, library, after(24))
  t.deepEqual(pathsOf(library), ['octo/site/issues/1', 'octo/site/issues/3'])
  repo.items.pop()
  await readOnce(github.base, library, { ...after(25), full: true })
  t.deepEqual(pathsOf(library), ['octo/site/issues/1'])
})

test('only items with the state and all labels are kept, with their comments', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      items: [
        { number: 1, labels: ['bug', 'crane'] },
        { number: 2, labels: ['bug'] },
        { number: 3, labels: ['bug', 'crane'], state: 'closed' },
      ],
      comments: [
        { id: 4, number: 1 },
        { id: 5, number: 2 },
      ],
    },
  })
  const settings = { state: 'open' as const, labels: ['bug', 'crane'] }
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings })
  t.deepEqual(pathsOf(library), ['octo/site/comments/1/4', 'octo/site/issues/1'])
  const [one, two] = github.repo('octo/site').items
  Object.assign(one as object, { state: 'closed', updatedAt: minute(10) })
  Object.assign(two as object, { labels: ['crane', 'bug'], updatedAt: minute(11) })
  await readOnce(github.base, library, { settings })
  // The comment on the second issue is older than the last pass; it is read with its issue.
  t.deepEqual(pathsOf(library), ['octo/site/comments/2/5', 'octo/site/issues/2'])
})

test('changed settings list everything again, and remove what no longer matches', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      items: [{ number: 1 }, { number: 2, isPull: true }],
      comments: [{ id: 3, number: 1 }],
      files: { 'README.md': '# Crane' },
    },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library)
  t.is(library.rows.size, 4)
  await readOnce(github.base, library, { settings: { resourceTypes: ['pulls'], includeComments: false } })
  t.deepEqual(pathsOf(library), ['octo/site/pulls/2'])
  await readOnce(github.base, library)
  t.is(library.rows.size, 4)
})

test('only the newest items up to the limit are read, and a limited listing removes nothing', async t => {
  const github = await startGithub(t, { 'octo/site': { items: numbers(230) } })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: { ...issues, maxItemsPerRepo: 120 } })
  t.is(library.rows.size, 120)
  t.true(library.rows.has('octo/site/issues/111'))
  t.false(library.rows.has('octo/site/issues/110'))
  const read = await readOnce(github.base, library, {
    settings: { ...issues, maxItemsPerRepo: 120 },
    full: true,
  })
  t.deepEqual(eventsOf(read, 'listed'), [])
})

test('with a limit, comments are read from the opening of the oldest item on', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      items: numbers(30),
      comments: [
        { id: 1000, number: 2, updatedAt: minute(3) },
        { id: 1001, number: 25, updatedAt: minute(40) },
      ],
    },
  })
  const library = emptyLibrary()
  const settings = { resourceTypes: ['issues' as const], maxItemsPerRepo: 10 }
  const read = await readOnce(github.base, library, { settings })
  t.true(library.rows.has('octo/site/comments/25/1001'))
  t.is(library.rows.size, 11)
  t.is(new URL(github.asked().at(-1)?.slice(4) ?? '', github.url).searchParams.get('since'), minute(21))
  t.deepEqual(eventsOf(read, 'listed'), [])
})

test('an interrupted pass resumes without duplicates, and deletions are applied', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: numbers(320), comments: [{ id: 900, number: 2 }] },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library)
  github.repo('octo/site').items.splice(10, 1)
  const asked: number[] = []
  for (const stopAfter of [120, 120, 120, 1000]) {
    const before = github.requests.length
    await readOnce(github.base, library, { full: stopAfter === 120 && asked.length === 0, stopAfter })
    asked.push(github.requests.length - before)
  }
  t.false(library.rows.has('octo/site/issues/11'))
  t.is(library.rows.size, 320)
  t.true(
    asked.every(count => count <= 7),
    asked.join(),
  )
})

test('dates in the future do not hide later changes', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: [{ number: 1, updatedAt: '2999-01-01T00:00:00Z' }] },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library, { settings: issues })
  github
    .repo('octo/site')
    .items.push(madeItem({ number: 2, updatedAt: `${new Date().toISOString().slice(0, 19)}Z` }))
  await readOnce(github.base, library, { settings: issues })
  t.true(library.rows.has('octo/site/issues/2'))
})

test('a comment waits until its issue is listed', async t => {
  const github = await startGithub(t, { 'octo/site': { items: numbers(1) } })
  const library = emptyLibrary()
  await readOnce(github.base, library)
  const repo = github.repo('octo/site')
  repo.items.push(madeItem({ number: 2, updatedAt: minute(50) }))
  repo.comments.push(madeComment({ id: 3, number: 2, updatedAt: minute(51) }))
  github.intercept = ({ path }, response) => {
    if (!/\/issues\?/u.test(path)) return false
    response.writeHead(403).end('{}')
    return true
  }
  const read = await readOnce(github.base, library)
  t.is(eventsOf(read, 'failed').length, 1)
  github.intercept = undefined
  await readOnce(github.base, library)
  t.true(library.rows.has('octo/site/comments/2/3'))
})
