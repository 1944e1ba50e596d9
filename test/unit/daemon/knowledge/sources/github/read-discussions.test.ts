import test from 'ava'
import { startGithub } from '../../../../../helpers/github-fake.js'
import { madeDiscussion, minute } from '../../../../../helpers/github-fake-repo.js'
import { emptyLibrary, eventsOf, pathsOf, readOnce } from '../../../../../helpers/github-reading.js'

const token = 'a-valid-token-of-github'
const discussions = { settings: { resourceTypes: ['discussions' as const] }, token }
const reply = (id: number) => ({ id, body: `Reply ${id}.`, author: 'hubot', updatedAt: minute(id) })
const comment = (id: number, replies: number[] = []) => ({
  ...reply(id),
  body: `Comment ${id}.`,
  isAnswer: false,
  replies: replies.map(reply),
})
const range = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at)

test('discussions come from GraphQL with all pages of comments and replies', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      discussions: [
        ...range(45).map(number => ({ number })),
        {
          number: 100,
          title: 'Which oil?',
          body: 'For the crane.',
          labels: ['crane'],
          comments: [
            { ...comment(500, range(60, 600)), isAnswer: true },
            ...range(40, 700).map(id => comment(id)),
          ],
        },
      ],
    },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library, discussions)
  t.is(library.rows.size, 46 + 1 + 60 + 40)
  t.like(library.rows.get('octo/site/discussions/100'), {
    kind: 'discussion',
    title: 'Which oil?',
    text: 'Discussion octo/site#100, in Q&A, opened by octocat, labels: crane\n\nFor the crane.',
    url: 'https://github.com/octo/site/discussions/100',
    updatedAt: minute(100),
  })
  t.like(library.rows.get('octo/site/discussion-comments/100/500'), {
    title: 'Answer on Which oil?',
    author: 'hubot',
  })
  t.is(library.rows.get('octo/site/discussion-comments/100/659')?.title, 'Reply on Which oil?')
})

test('a later pass reads the newest discussions until a known one, and deletes missing comments', async t => {
  const github = await startGithub(t, {
    'octo/site': { discussions: range(60).map(number => ({ number, comments: [comment(number + 1000)] })) },
  })
  const library = emptyLibrary()
  await readOnce(github.base, library, discussions)
  const before = github.requests.length
  Object.assign(github.repo('octo/site').discussions[0] as object, {
    updatedAt: minute(90),
    comments: [comment(2000)],
  })
  const read = await readOnce(github.base, library, discussions)
  t.is(github.requests.length - before, 1)
  t.deepEqual(
    eventsOf(read, 'artifact').map(({ artifact }) => artifact.path),
    ['octo/site/discussions/1', 'octo/site/discussion-comments/1/2000'],
  )
  t.false(library.rows.has('octo/site/discussion-comments/1/1001'))
  t.is(library.rows.size, 120)
})

test('a discussion that was deleted, closed or unlabelled is removed with its comments', async t => {
  const github = await startGithub(t, {
    'octo/site': {
      discussions: range(4).map(number => ({ number, labels: ['crane'], comments: [comment(number + 10)] })),
    },
  })
  const library = emptyLibrary()
  const wanted = {
    token,
    settings: { resourceTypes: ['discussions' as const], state: 'open' as const, labels: ['crane'] },
  }
  await readOnce(github.base, library, wanted)
  t.is(library.rows.size, 8)
  const repo = github.repo('octo/site')
  const [, closed, unlabelled] = repo.discussions
  Object.assign(closed as object, { closed: true, updatedAt: minute(50) })
  Object.assign(unlabelled as object, { labels: [], updatedAt: minute(51) })
  await readOnce(github.base, library, wanted)
  t.is(library.rows.size, 4)
  repo.discussions.shift()
  await readOnce(github.base, library, { ...wanted, full: true })
  t.deepEqual(pathsOf(library), ['octo/site/discussion-comments/4/14', 'octo/site/discussions/4'])
})

test('an interrupted listing of discussions resumes at its page', async t => {
  const github = await startGithub(t, { 'octo/site': { discussions: range(90).map(number => ({ number })) } })
  const library = emptyLibrary()
  const settings = { ...discussions.settings, includeComments: false }
  await readOnce(github.base, library, { settings, token, stopAfter: 50 })
  const before = github.requests.length
  await readOnce(github.base, library, { settings, token })
  t.is(library.rows.size, 90)
  t.true(github.requests.length - before <= 4)
})

test('GraphQL errors with status 200 are faults', async t => {
  const github = await startGithub(t, { 'octo/site': { discussions: [madeDiscussion({ number: 1 })] } })
  const library = emptyLibrary()
  const missing = await readOnce(github.base, library, {
    token,
    settings: { ...discussions.settings, repos: ['octo/gone', 'octo/site'] },
  })
  t.like(eventsOf(missing, 'fault')[0], { path: 'octo/gone/discussions', isRecoverable: false })
  t.regex(eventsOf(missing, 'fault')[0]?.message ?? '', /Could not resolve to a Repository/u)
  t.true(library.rows.has('octo/site/discussions/1'))
  github.intercept = (_request, response) => {
    const errors = [{ message: 'Something went wrong while executing your query.' }]
    response.end(JSON.stringify({ data: { repository: null }, errors }))
    return true
  }
  const broken = await readOnce(github.base, library, discussions)
  t.true(eventsOf(broken, 'fault')[0]?.isRecoverable)
  t.is(broken.waits.length, 4)
})
