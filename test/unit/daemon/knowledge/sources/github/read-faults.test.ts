import type { ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { type GithubFake, startGithub } from '../../../../../helpers/github-fake.js'
import {
  emptyLibrary,
  eventsOf,
  type Library,
  type PassOptions,
  readOnce,
} from '../../../../../helpers/github-reading.js'

const token = 'a-valid-token-of-github'
const issues: PassOptions = { settings: { resourceTypes: ['issues'], includeComments: false } }

/** Answers the next requests in place of GitHub. */
function answering(
  github: GithubFake,
  answer: (response: ServerResponse, path: string) => void,
  times = Number.POSITIVE_INFINITY,
): void {
  let left = times
  github.intercept = ({ path }, response) => {
    if (left-- <= 0) return false
    answer(response, path)
    return true
  }
}

async function oneIssue(t: ExecutionContext): Promise<{ github: GithubFake; library: Library }> {
  return {
    github: await startGithub(t, { 'octo/site': { items: [{ number: 1 }] } }),
    library: emptyLibrary(),
  }
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void =>
  void response.writeHead(status, headers).end(JSON.stringify(body))

test('rate limits wait for retry-after, else for the reset by server time, else a minute', async t => {
  const inSeconds = (seconds: number) =>
    String(Math.floor(Date.parse('2031-05-05T10:00:00Z') / 1000) + seconds)
  const clock = { date: 'Mon, 05 May 2031 10:00:00 GMT' }
  const secondary = {
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  }
  const cases: [number, object, object, number][] = [
    [403, {}, { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(30) }, 7000],
    [429, {}, { ...clock, 'retry-after': 'Mon, 05 May 2031 10:00:09 GMT' }, 9000],
    [403, {}, { ...clock, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(30) }, 31_000],
    [403, secondary, {}, 60_000],
    [429, {}, {}, 60_000],
  ]
  for (const [status, body, headers, waitMs] of cases) {
    const { github, library } = await oneIssue(t)
    answering(github, response => json(response, status, body, headers), 1)
    const read = await readOnce(github.base, library, issues)
    // The wait is shorter by the time it took to read the reply.
    t.true(Math.abs((read.waits[0] ?? 0) - waitMs) < 2000, `${read.waits} for ${waitMs}`)
    t.is(library.rows.size, 1)
    t.true(eventsOf(read, 'status').some(({ message }) => /^waiting until \d\d:\d\d:\d\d UTC/u.test(message)))
    t.deepEqual(eventsOf(read, 'fault'), [])
  }
})

test('a repeated secondary limit doubles the waits, then pauses the job', async t => {
  const { github, library } = await oneIssue(t)
  answering(github, response => json(response, 429, {}, { 'retry-after': '20' }))
  const read = await readOnce(github.base, library, issues)
  t.deepEqual(read.waits, [20_000, 40_000, 80_000])
  t.like(eventsOf(read, 'pause')[0], {
    reason: 'rate_limited',
    frontier: 'octo/site/issues',
    retryAfterMs: 20_000,
  })
})

test('an exhausted budget pauses the job until its reset', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: Array.from({ length: 250 }, (_, at) => ({ number: at + 1 })) },
  })
  github.budget.remaining = 2
  const library = emptyLibrary()
  const read = await readOnce(github.base, library, issues)
  t.is(github.requests.length, 2)
  const [pause] = eventsOf(read, 'pause')
  t.like(pause, { reason: 'rate_limited', frontier: 'octo/site/issues' })
  t.true((pause?.retryAfterMs ?? 0) > 3_500_000 && (pause?.retryAfterMs ?? 0) <= 3_660_000)
  github.budget.remaining = 100
  await readOnce(github.base, library, { ...issues, frontier: pause?.frontier ?? '' })
  t.is(library.rows.size, 250)
  t.is(github.requests.length, 3)
})

test('a GraphQL limit with status 200 pauses GraphQL only', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: [{ number: 1 }], discussions: [{ number: 2 }] },
  })
  const library = emptyLibrary()
  github.intercept = ({ path }, response) => {
    if (!path.endsWith('/graphql')) return false
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit already exceeded for user ID 1.' }]
    const reset = String(Math.floor(Date.now() / 1000) + 1800)
    json(response, 200, { errors }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
    return true
  }
  const read = await readOnce(github.base, library, {
    token,
    settings: { resourceTypes: ['issues', 'discussions'], includeComments: false },
  })
  t.true(library.rows.has('octo/site/issues/1'))
  t.like(eventsOf(read, 'pause')[0], { frontier: 'octo/site/discussions' })
})

test('each refusal is a fault with cause and next step, and rows are kept', async t => {
  const cases: [number, unknown, object, RegExp, RegExp][] = [
    [401, { message: 'Bad credentials' }, {}, /answered 401 \(Bad credentials\)/u, /memory secrets set/u],
    [
      403,
      { message: 'Resource not accessible by personal access token' },
      {},
      /answered 403/u,
      /give the token read access/u,
    ],
    [403, {}, { 'x-github-sso': 'required; url=https://x' }, /answered 403/u, /single sign-on/u],
    [404, { message: 'Not Found' }, {}, /answered 404 \(Not Found\)/u, /the token needs read access/u],
    [410, { message: 'Issues has been disabled' }, {}, /answered 410/u, /^$/u],
    [500, '<html>', {}, /answered 500/u, /^$/u],
    [200, '<html>', {}, /did not return JSON/u, /^$/u],
    [200, { not: 'a list' }, {}, /did not return a list/u, /^$/u],
  ]
  for (const [status, body, headers, message, guidance] of cases) {
    const { github, library } = await oneIssue(t)
    await readOnce(github.base, library, { ...issues, token })
    answering(github, response => {
      response.writeHead(status, { ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const read = await readOnce(github.base, library, { ...issues, token, full: true })
    const [fault] = eventsOf(read, 'fault')
    t.regex(fault?.message ?? '', message)
    t.regex(fault?.guidance ?? '', guidance)
    t.is(fault?.isRecoverable, status === 500 || body === '<html>')
    t.is(eventsOf(read, 'failed').length, 1)
    t.is(library.rows.size, 1)
  }
})

test('a failing repository does not affect others; a refused token ends the pass', async t => {
  const github = await startGithub(t, {
    'octo/site': { items: [{ number: 1 }] },
    'octo/more': { items: [{ number: 2 }] },
  })
  const library = emptyLibrary()
  const settings = { ...issues.settings, repos: ['octo/site', 'octo/gone', 'octo/more'] }
  const read = await readOnce(github.base, library, { settings })
  t.is(library.rows.size, 2)
  t.deepEqual(
    eventsOf(read, 'failed').map(({ message }) => message),
    ['not read: octo/gone/issues; see memory sources show'],
  )
  const before = github.requests.length
  await readOnce(github.base, library, { settings, token: 'a-token-that-was-revoked' })
  t.is(github.requests.length - before, 1)
})

test('server faults, broken connections and partial replies are retried', async t => {
  const answers: ((response: ServerResponse) => void)[] = [
    response => json(response, 502, {}),
    response => void response.socket?.destroy(),
    response =>
      void response
        .writeHead(200, { 'content-length': '100' })
        .end('[{"num', () => response.socket?.destroy()),
  ]
  for (const answer of answers) {
    const { github, library } = await oneIssue(t)
    answering(github, answer, 2)
    const read = await readOnce(github.base, library, issues)
    t.is(library.rows.size, 1)
    t.is(read.waits.length, 2)
    t.deepEqual(eventsOf(read, 'fault'), [])
  }
})

test('an unreachable server pauses the job, which resumes by itself', async t => {
  const read = await readOnce('http://127.0.0.1:1', emptyLibrary(), issues)
  t.regex(
    eventsOf(read, 'fault')[0]?.message ?? '',
    /http:\/\/127\.0\.0\.1:1 can't be reached: ECONNREFUSED/u,
  )
  t.deepEqual(eventsOf(read, 'pause'), [
    { event: 'pause', reason: 'provider_unavailable', frontier: 'octo/site/issues' },
  ])
  t.is(read.waits.length, 4)
})

test('a malformed item is skipped and reported, and nothing is deleted', async t => {
  const { github, library } = await oneIssue(t)
  await readOnce(github.base, library, issues)
  answering(github, response => json(response, 200, [{ number: 'two' }]))
  const read = await readOnce(github.base, library, { ...issues, full: true })
  t.regex(eventsOf(read, 'fault')[0]?.message ?? '', /1 of the items listed by GitHub/u)
  t.is(library.rows.size, 1)
})

test('pages and redirects to another origin are refused without the token', async t => {
  const other = await startGithub(t, { 'octo/site': { items: [{ number: 9 }] } })
  for (const headers of [
    { link: `<${other.url}/repos/octo/site/issues?page=2>; rel="next"` },
    { location: `${other.url}/repos/octo/site/issues` },
  ]) {
    const { github, library } = await oneIssue(t)
    answering(github, response => json(response, 'location' in headers ? 301 : 200, [], headers))
    const read = await readOnce(github.base, library, { ...issues, token })
    t.regex(eventsOf(read, 'fault')[0]?.message ?? '', /another origin, which is not followed/u)
  }
  t.deepEqual(other.requests, [])
})

test('circular pages and endless redirects end', async t => {
  for (const [status, name, message] of [
    [200, 'link', /form a loop/u],
    [302, 'location', /redirects more than 3 times/u],
  ] as const) {
    const { github, library } = await oneIssue(t)
    answering(github, (response, path) => {
      const target = `${github.url}${path}`
      json(response, status, [], { [name]: name === 'link' ? `<${target}>; rel="next"` : target })
    })
    const read = await readOnce(github.base, library, issues)
    t.regex(eventsOf(read, 'fault')[0]?.message ?? '', message)
    t.true(github.requests.length < 10)
  }
})

test('a server without order and dates is read by its links', async t => {
  const { github, library } = await oneIssue(t)
  const item = (number: number) => ({
    number,
    title: 'T',
    state: 'open',
    created_at: at(number),
    updated_at: at(number),
  })
  const at = (number: number) => `2024-01-0${number}T00:00:00Z`
  answering(github, (response, path) => {
    const page = Number(new URL(path, github.url).searchParams.get('page') ?? 1)
    const link =
      page < 4 ? { link: `<${github.url}/repos/octo/site/issues?page=${page + 1}>; rel="next"` } : {}
    json(response, 200, [item(2 * page - 1), item(2 * page)], link)
  })
  await readOnce(github.base, library, issues)
  t.is(library.rows.size, 8)
})

test('a renamed repository is followed, and its rows keep their paths', async t => {
  const github = await startGithub(t, {
    'octo/new': { items: [{ number: 1 }] },
    'octo/site': { movedTo: 'octo/new' },
  })
  const library = emptyLibrary()
  const read = await readOnce(github.base, library, issues)
  t.deepEqual(eventsOf(read, 'fault'), [])
  t.true(library.rows.has('octo/site/issues/1'))
})

test('an enterprise server uses /api/v3 for REST and its own GraphQL address', async t => {
  const github = await startGithub(
    t,
    { 'octo/site': { isPrivate: true, items: [{ number: 1 }], discussions: [{ number: 2 }] } },
    { base: '/api/v3' },
  )
  const library = emptyLibrary()
  await readOnce(github.base, library, {
    token,
    settings: { resourceTypes: ['issues', 'discussions'], includeComments: false },
  })
  t.deepEqual([...library.rows.keys()], ['octo/site/issues/1', 'octo/site/discussions/2'])
  t.deepEqual(
    github.requests.map(({ path }) => new URL(path, github.url).pathname),
    ['/api/v3/repos/octo/site/issues', '/api/graphql'],
  )
})

test('a page too large to parse at once is requested in smaller pages', async t => {
  const body = 'x'.repeat(250_000)
  const items = Array.from({ length: 45 }, (_, at) => ({ number: at + 1, body }))
  const github = await startGithub(t, { 'octo/site': { items } })
  const library = emptyLibrary()
  const read = await readOnce(github.base, library, issues)
  t.deepEqual(eventsOf(read, 'fault'), [])
  t.is(library.rows.size, 45)
})

test('the token appears in no event, and nothing is sent after the pass', async t => {
  const { github, library } = await oneIssue(t)
  answering(github, response => json(response, 403, { message: `who is ${token}?` }))
  const read = await readOnce(github.base, library, { ...issues, token })
  t.false(JSON.stringify(read.events).includes(token))
  t.regex(eventsOf(read, 'fault')[0]?.message ?? '', /who is \[token\]\?/u)
  const without = await readOnce(github.base, library, { ...issues, token: 'two words' })
  t.regex(eventsOf(without, 'failed')[0]?.message ?? '', /the secret GITHUB_TOKEN does not contain a token/u)
  t.is(eventsOf(without, 'fault')[0]?.path, 'tokenRef')
  const ended = new AbortController()
  answering(github, () => ended.abort(new Error('ended')))
  await t.throwsAsync(readOnce(github.base, library, { ...issues, signal: ended.signal }), {
    message: 'ended',
  })
})

test('a token is never sent unencrypted, and an address may not contain a password', async t => {
  const read = (base: string) => readOnce(base, emptyLibrary(), { ...issues, token })
  await t.throwsAsync(read('http://github.example.com/api/v3'), { message: /must use https/u })
  await t.throwsAsync(read('https://me:secret@github.example.com'), {
    message: /must not contain a user name/u,
  })
})
